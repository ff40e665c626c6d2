"""Entity discovery as in TAC-KBP: source documents in, mentions as `.tab` files out, and their scores."""
