"""Mentions in Spanish text: the folder `model` beside this file is what `fofe.load("es")` loads."""
