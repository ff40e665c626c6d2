"""The regions of a document as tokens of its sentences."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from fofe.text.align import Aligner
from fofe.text.document import KNOWN, UNKNOWN, Document, Region, Sentence


@dataclass
class TokenRegions:
    """The regions of one sentence, as half-open spans of its tokens."""

    unknown: list[tuple[int, int]] = field(default_factory=list)
    known: list[tuple[int, int]] = field(default_factory=list)
    negatives: list[tuple[int, int]] = field(default_factory=list)


def token_regions(document: Document) -> tuple[list[TokenRegions], list[Region]]:
    """The regions of each sentence, and those that are no tokens.

    An unknown region holds every token it touches, a known one those that lie wholly in it: when in doubt
    nothing is claimed. A negative stands for one fragment, so it must begin and end with a token.
    """
    found = [TokenRegions() for _ in document.sentences]
    rest: list[Region] = []
    aligner = Aligner(document)
    for region in document.regions:
        if region.status in (UNKNOWN, KNOWN):
            spans = _spans(document.sentences, region)
            for number, span in spans:
                (found[number].unknown if region.status == UNKNOWN else found[number].known).append(span)
            if not spans:
                rest.append(region)
            continue
        tokens = aligner.tokens_of(region.start, region.end)
        if tokens is None:
            rest.append(region)
        else:
            found[tokens.sentence].negatives.append((tokens.start, tokens.end))
    return found, rest


def _spans(sentences: list[Sentence], region: Region) -> list[tuple[int, tuple[int, int]]]:
    """The tokens of a region in each sentence that it reaches into."""
    first = bisect_right(sentences, region.start, key=lambda sentence: sentence.end)
    last = bisect_left(sentences, region.end, key=lambda sentence: sentence.start)
    spans = []
    for number in range(first, last):
        tokens = sentences[number].tokens
        if region.status == UNKNOWN:
            start = bisect_right(tokens, region.start, key=lambda token: token.end)
            end = bisect_left(tokens, region.end, key=lambda token: token.start)
        else:
            start = bisect_left(tokens, region.start, key=lambda token: token.start)
            end = bisect_right(tokens, region.end, key=lambda token: token.end)
        if start < end:
            spans.append((number, (start, end)))
    return spans
