"""Searching for better settings: which values to try, the trials, and what came of them."""
