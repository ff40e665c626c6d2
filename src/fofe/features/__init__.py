"""What the network sees of a fragment: one module a feature."""
