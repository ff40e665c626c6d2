"""Vocabularies, FOFE codes, fragments and the layout of the features."""
