"""Text in which mentions are replaced by what they are."""

from __future__ import annotations

from collections.abc import Iterator

from fofe.text.document import Document


def redacted(document: Document) -> str:
    """The text with `[PER]` instead of every mention.

    Where mentions overlap, all of what they cover becomes one mark with the label of the longest: a part of
    a name that sticks out must not stay readable.
    """
    parts: list[str] = []
    position = 0
    for start, end, label in _covered(document):
        parts += [document.text[position:start], f"[{label}]"]
        position = end
    return "".join([*parts, document.text[position:]])


def _covered(document: Document) -> Iterator[tuple[int, int, str]]:
    """The disjoint stretches that mentions cover, in order, with the label of the longest mention of each."""
    start, end, label, longest = 0, 0, "", 0
    for mention in sorted(document.mentions, key=lambda mention: (mention.start, -mention.end)):
        if mention.start >= end:
            if label:
                yield start, end, label
            start, end, longest = mention.start, mention.end, 0
        end = max(end, mention.end)
        if mention.end - mention.start > longest:
            label, longest = mention.label, mention.end - mention.start
    if label:
        yield start, end, label
