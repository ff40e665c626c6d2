"""How a stream of documents is divided for scoring: documents into groups, long groups into windows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from fofe.text.document import Document


def groups(documents: Iterable[Document], tokens_wanted: int) -> Iterator[list[Document]]:
    """Lists of documents with about so many tokens together; sentences without tokens are left out."""
    group: list[Document] = []
    tokens = 0
    for document in documents:
        if not all(document.sentences):
            document = replace(document, sentences=[sentence for sentence in document.sentences if sentence])
        group.append(document)
        # A document counts even if it is empty: a stream of those must not pile up.
        tokens += 1 + sum(map(len, document.sentences))
        if tokens >= tokens_wanted:
            yield group
            group, tokens = [], 0
    if group:
        yield group


class Window(NamedTuple):
    """Sentences `first` to `last` (half-open) are tagged, from `first_seen` to `last_seen` they are seen."""

    first: int
    last: int
    first_seen: int
    last_seen: int


def windows(
    lengths: Sequence[int], opens: Sequence[bool], *, tokens_wanted: int, receptive_fields: Sequence[int]
) -> Iterator[Window]:
    """Windows of about so many tokens, at least one sentence each.

    Args:
        lengths: the tokens of each sentence.
        opens: whether each sentence is the first of its document.
        tokens_wanted: about how many tokens of a window are tagged.
        receptive_fields: how many tokens beyond a sentence of the same document can change what is found in
            it: so many are seen on both sides of a window, so that its borders do not show in the result.
            What lies within the first depends itself on what lies within the next of it, and so on.
    """
    first = 0
    while first < len(lengths):
        last, tokens = first, 0
        while last < len(lengths) and (last == first or tokens + lengths[last] <= tokens_wanted):
            tokens += lengths[last]
            last += 1
        first_seen, last_seen = first, last
        for tokens_left in receptive_fields:
            first_seen = _back(lengths, opens, first_seen, tokens_left)
            last_seen = _on(lengths, opens, last_seen, tokens_left)
        yield Window(first, last, first_seen, last_seen)
        first = last


def _back(lengths: Sequence[int], opens: Sequence[bool], first: int, tokens: int) -> int:
    while tokens > 0 and not opens[first]:
        first -= 1
        tokens -= lengths[first]
    return first


def _on(lengths: Sequence[int], opens: Sequence[bool], last: int, tokens: int) -> int:
    while tokens > 0 and last < len(lengths) and not opens[last]:
        tokens -= lengths[last]
        last += 1
    return last
