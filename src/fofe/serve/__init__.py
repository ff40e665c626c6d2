"""HTTP: an API for programs and a page for people, around one or several models."""
