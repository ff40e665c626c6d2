"""Plain mentions of names that a page has linked, or of its own title."""

from __future__ import annotations

from collections.abc import Iterator

from fofe.text.align import TokenSpan
from fofe.text.document import Document
from fofe.text.tokenise import tokeniser
from fofe.wiki.mapping import Types

Words = tuple[str, ...]


def repeated(
    document: Document, found: dict[TokenSpan, Types], own_name: str, own_types: Types
) -> dict[TokenSpan, Types]:
    """Later occurrences of the names in `found`, and all of the page's own; none overlaps what is known.

    A name that is known by different types on the same page is left alone.
    """
    names: dict[Words, tuple[TokenSpan, Types] | None] = {}
    for span in sorted(found):
        words = tuple(document.sentences[span.sentence].words[span.start : span.end])
        known = names.setdefault(words, (span, found[span]))
        if known is not None and known[1] != found[span]:
            names[words] = None
    if own_types and own_name:
        own = tuple(token.text for token in tokeniser("xx").document(own_name).tokens)
        names.setdefault(own, (TokenSpan(0, 0, 0), own_types))
    taken = {(span.sentence, number) for span in found for number in range(span.start, span.end)}
    added: dict[TokenSpan, Types] = {}
    for span, types in _occurrences(document, {words: name for words, name in names.items() if name}):
        tokens = {(span.sentence, number) for number in range(span.start, span.end)}
        if not tokens & taken:
            taken |= tokens
            added[span] = types
    return added


def _occurrences(
    document: Document, names: dict[Words, tuple[TokenSpan, Types]]
) -> Iterator[tuple[TokenSpan, Types]]:
    """Where names stand after they were first known, longer ones before shorter ones at the same place."""
    by_first: dict[str, list[Words]] = {}
    for words in sorted(names, key=len, reverse=True):
        by_first.setdefault(words[0], []).append(words)
    for number, sentence in enumerate(document.sentences):
        of_sentence = tuple(sentence.words)
        for start, word in enumerate(of_sentence):
            for words in by_first.get(word, ()):
                span = TokenSpan(number, start, start + len(words))
                first, types = names[words]
                if of_sentence[start : span.end] == words and span > first:
                    yield span, types
                    break
