"""Mentions in Chinese text: the folder `model` beside this file is what `fofe.load("zh")` loads."""
