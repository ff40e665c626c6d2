"""Mentions in English text: the folder `model` beside this file is what `fofe.load("en-news")` loads."""
