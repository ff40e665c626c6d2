"""Documents, sentences and tokens, with offsets into the caller's own text."""
