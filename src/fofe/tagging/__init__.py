"""Texts in, documents with mentions out: models, languages, files, processes."""
