"""Documents, sentences and tokens with offsets into the caller's own text."""

from fofe.text.document import Document, Mention, Sentence, Token

__all__ = ["Document", "Mention", "Sentence", "Token"]
