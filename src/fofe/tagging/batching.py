"""How streams are divided: items into lists of about the same size, long documents into windows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from fofe.text.document import Document

Item = TypeVar("Item")


def chunks(items: Iterable[Item], size: Callable[[Item], int], wanted: int) -> Iterator[list[Item]]:
    """Lists of consecutive items of about the wanted size together."""
    chunk: list[Item] = []
    total = 0
    for item in items:
        chunk.append(item)
        total += 1 + size(item)  # empty ones count too: a stream of those must not pile up
        if total >= wanted:
            yield chunk
            chunk, total = [], 0
    if chunk:
        yield chunk


def token_count(document: Document) -> int:
    return sum(map(len, document.sentences))


def windows(
    lengths: Sequence[int], opens: Sequence[bool], *, tokens_wanted: int, receptive_fields: Sequence[int]
) -> Iterator[tuple[slice, slice]]:
    """Windows of about so many tokens: the sentences that are tagged, at least one, and those that are seen.

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
        yield slice(first, last), slice(first_seen, last_seen)
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
