"""Between character offsets and token positions: mentions and regions as spans of tokens."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from fofe.text.document import NEGATIVE, REGION_KEYS, UNKNOWN, Document, Mention, Region, Sentence, Token


class TokenSpan(NamedTuple):
    """Tokens `start` to `end` (half-open) of sentence number `sentence`."""

    sentence: int
    start: int
    end: int


def tokens_of(document: Document, start: int, end: int) -> TokenSpan | None:
    """The tokens that cover exactly the characters `start:end` in one sentence, if any do."""
    number = bisect_right(document.sentences, start, key=lambda sentence: sentence.start) - 1
    if number < 0:
        return None
    tokens = document.sentences[number].tokens
    first = bisect_right(tokens, start, key=lambda token: token.start) - 1
    last = bisect_right(tokens, end - 1, key=lambda token: token.start) - 1
    if first < 0 or last < first or tokens[first].start != start or tokens[last].end != end:
        return None
    return TokenSpan(number, first, last + 1)


def characters_of(document: Document, span: TokenSpan) -> tuple[int, int]:
    """The half-open character offsets of some tokens."""
    tokens = document.sentences[span.sentence].tokens
    return tokens[span.start].start, tokens[span.end - 1].end


def align(document: Document) -> tuple[list[tuple[TokenSpan, Mention]], list[Mention]]:
    """Split the mentions of a document into those on token borders, with their tokens, and the rest."""
    spans = [(tokens_of(document, mention.start, mention.end), mention) for mention in document.mentions]
    aligned = [(span, mention) for span, mention in spans if span is not None]
    return aligned, [mention for span, mention in spans if span is None]


def split_tokens(sentences: Iterable[Sentence], borders: Iterable[int]) -> list[Sentence]:
    """The sentences with tokens cut at the borders that lie inside them."""
    cuts = sorted(set(borders))

    def pieces(token: Token) -> Iterator[Token]:
        inside = cuts[bisect_right(cuts, token.start) : bisect_left(cuts, token.end)]
        for start, end in pairwise([token.start, *inside, token.end]):
            yield Token(token.text[start - token.start : end - token.start], start, end)

    return [Sentence(list(chain.from_iterable(map(pieces, one.tokens)))) for one in sentences]


TokenRegions = dict[str, list[tuple[int, int]]]
"""The regions of one sentence, as half-open spans of its tokens, by status."""


def token_regions(document: Document) -> tuple[list[TokenRegions], list[Region]]:
    """The regions of each sentence, and those that match no tokens.

    An unknown region includes every token it touches, a known one only the tokens entirely inside it: when in
    doubt nothing is claimed. A negative stands for one fragment, so it must begin and end with a token.
    """
    found: list[TokenRegions] = [{status: [] for status in REGION_KEYS} for _ in document.sentences]
    rest: list[Region] = []
    for region in document.regions:
        spans = list(_spans(document, region))
        for number, start, end in spans:
            found[number][region.status].append((start, end))
        if not spans:
            rest.append(region)
    return found, rest


def _spans(document: Document, region: Region) -> Iterator[TokenSpan]:
    """The tokens of a region in each sentence that it overlaps."""
    if region.status == NEGATIVE:
        if exact := tokens_of(document, region.start, region.end):
            yield exact
        return
    sentences = document.sentences
    first = bisect_right(sentences, region.start, key=lambda sentence: sentence.end)
    last = bisect_left(sentences, region.end, key=lambda sentence: sentence.start)
    for number in range(first, last):
        tokens = sentences[number].tokens
        if region.status == UNKNOWN:
            start = bisect_right(tokens, region.start, key=lambda token: token.end)
            end = bisect_left(tokens, region.end, key=lambda token: token.start)
        else:
            start = bisect_left(tokens, region.start, key=lambda token: token.start)
            end = bisect_right(tokens, region.end, key=lambda token: token.end)
        if start < end:
            yield TokenSpan(number, start, end)
