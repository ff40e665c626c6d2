"""One file for each language with its own rules, and one for all others."""
