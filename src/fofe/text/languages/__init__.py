"""One file for each language with rules of its own, and one for all the others."""
