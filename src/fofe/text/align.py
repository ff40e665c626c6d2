"""Between character offsets and token positions."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from fofe.text.document import Document, Mention


class TokenSpan(NamedTuple):
    """Tokens `start` to `end` (half-open) of sentence number `sentence`."""

    sentence: int
    start: int
    end: int


class Aligner:
    """Finds the tokens of a span of characters, and the other way round."""

    def __init__(self, document: Document) -> None:
        self._sentences = document.sentences
        self._sentence_starts = [sentence.start for sentence in document.sentences]

    def tokens_of(self, start: int, end: int) -> TokenSpan | None:
        """The tokens that cover exactly the characters `start:end` in one sentence, if any do."""
        number = bisect_right(self._sentence_starts, start) - 1
        if number < 0:
            return None
        tokens = self._sentences[number].tokens
        first = bisect_right(tokens, start, key=lambda token: token.start) - 1
        last = bisect_right(tokens, end - 1, key=lambda token: token.start) - 1
        if first < 0 or last < first or tokens[first].start != start or tokens[last].end != end:
            return None
        return TokenSpan(number, first, last + 1)

    def characters_of(self, span: TokenSpan) -> tuple[int, int]:
        """The half-open character offsets of some tokens."""
        tokens = self._sentences[span.sentence].tokens
        return tokens[span.start].start, tokens[span.end - 1].end


def align(document: Document) -> tuple[list[tuple[TokenSpan, Mention]], list[Mention]]:
    """Split the mentions of a document into those on token borders, with their tokens, and the rest."""
    aligner = Aligner(document)
    aligned: list[tuple[TokenSpan, Mention]] = []
    rest: list[Mention] = []
    for mention in document.mentions:
        span = aligner.tokens_of(mention.start, mention.end)
        if span is None:
            rest.append(mention)
        else:
            aligned.append((span, mention))
    return aligned, rest
