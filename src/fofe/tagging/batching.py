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
        for field in receptive_fields:
            left = right = field
            while left > 0 and not opens[first_seen]:
                first_seen -= 1
                left -= lengths[first_seen]
            while right > 0 and last_seen < len(lengths) and not opens[last_seen]:
                right -= lengths[last_seen]
                last_seen += 1
        yield slice(first, last), slice(first_seen, last_seen)
        first = last
