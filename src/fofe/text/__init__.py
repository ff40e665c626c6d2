"""Documents, sentences and tokens with offsets into the caller's own text."""

from fofe.text.document import Document, Mention, Sentence, Token
from fofe.text.tokenise import Tokeniser, languages, tokeniser

__all__ = ["Document", "Mention", "Sentence", "Token", "Tokeniser", "languages", "tokeniser"]
