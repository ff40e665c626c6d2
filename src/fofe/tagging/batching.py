"""How streams are divided: items into lists of about the same size, long documents into windows.

A sentence is scored at once, unless it is so long that this would take too much memory: then it consists of
several parts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from fofe.text.document import Document, Sentence
from fofe.text.segment import is_letter

LONG_SENTENCE = 4096
"""Sentences of more tokens are scored in parts."""
PART = 256
"""How many tokens a part of one has, at most."""
GROWTH = 8
"""How many times as large as the list before it a list of a stream may be: small ones cost time."""

Item = TypeVar("Item")


class Part(NamedTuple):
    """Tokens `first` to `end` (half-open) of a sentence, given by its number."""

    sentence: int
    first: int
    end: int

    def of(self, sentences: Sequence[Sentence]) -> Sentence:
        """The part as a sentence."""
        whole = sentences[self.sentence]
        is_whole = len(whole.tokens) == self.end - self.first
        return whole if is_whole else Sentence(whole.tokens[self.first : self.end])


def chunks(
    items: Iterable[Item | None], size: Callable[[Item], int], wanted: int, *, growing: bool = False
) -> Iterator[list[Item]]:
    """Lists of consecutive items of about the wanted size together.

    None among the items is a pause: what came before is yielded at once, and an empty list after it. With
    `growing`, the first list has one item, and the next ones are `GROWTH` times as large as the one before.
    """
    chunk: list[Item] = []
    total, limit = 0, 1 if growing else wanted
    for item in items:
        if item is not None:
            chunk.append(item)
            total += 1 + size(item)  # empty ones count too: a stream of those must not pile up
        if chunk and (item is None or total >= limit):
            yield chunk
            limit = min(wanted, GROWTH * max(total, limit))
            chunk, total = [], 0
        if item is None:
            yield []
    if chunk:
        yield chunk


def token_count(document: Document) -> int:
    return sum(len(sentence.tokens) for sentence in document.sentences)


def parts(sentences: Sequence[Sentence]) -> Iterator[Part]:
    """The parts of sentences: of most of them one, which is the whole."""
    for number, sentence in enumerate(sentences):
        tokens, first = sentence.tokens, 0
        while len(tokens) > LONG_SENTENCE and len(tokens) > first + PART:
            # A segmenter joins letters to words: cut beside anything else, if possible.
            ends = range(first + PART, first + PART // 2, -1)
            beside = (end for end in ends if not all(is_letter(tokens[one].text) for one in (end - 1, end)))
            end = next(beside, first + PART)
            yield Part(number, first, end)
            first = end
        yield Part(number, first, len(tokens))


def joined(parts: Iterable[Part]) -> list[Part]:
    """Consecutive parts of the same sentence as one."""
    found: list[Part] = []
    for part in parts:
        if part.first and found:
            found[-1] = found[-1]._replace(end=part.end)
        else:
            found.append(part)
    return found


def windows(
    lengths: Sequence[int],
    opens: Sequence[bool],
    *,
    tokens_wanted: int,
    receptive_fields: Sequence[int],
    begins: Sequence[bool] = (),
    reach: int = 0,
) -> Iterator[tuple[slice, slice]]:
    """Windows of about so many tokens: the sentences that are tagged, at least one, and those that are seen.

    Args:
        lengths: the tokens of each sentence, or of each part of one.
        opens: whether each is the first of its document.
        tokens_wanted: about how many tokens of a window are tagged.
        receptive_fields: how many tokens beyond a sentence of the same document can change what is found in
            it: so many are seen on both sides of a window, so that its borders do not show in the result.
            What lies within the first depends itself on what lies within the next of it, and so on.
        begins: whether each begins a sentence.
        reach: how many tokens are seen besides, where that cuts a sentence.
    """
    fields = [*((field, opens) for field in receptive_fields), (reach, begins)]
    first = 0
    while first < len(lengths):
        last, tokens = first, 0
        while last < len(lengths) and (last == first or tokens + lengths[last] <= tokens_wanted):
            tokens += lengths[last]
            last += 1
        first_seen, last_seen = first, last
        for field, borders in fields:
            left = right = field
            while left > 0 and not borders[first_seen]:
                first_seen -= 1
                left -= lengths[first_seen]
            while right > 0 and last_seen < len(lengths) and not borders[last_seen]:
                right -= lengths[last_seen]
                last_seen += 1
        yield slice(first, last), slice(first_seen, last_seen)
        first = last
