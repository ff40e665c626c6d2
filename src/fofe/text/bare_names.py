"""English names without the words that only lead up to them: *Thames*, not *the Thames*.

Corpora differ in whether a determiner, or a possessive *'s*, belongs to a name. A model that learns from
several of them finds neither form for sure; where all names are bare, it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fofe.text._phrase_words import OPENERS, POSSESSIVES
from fofe.text.align import Aligner
from fofe.text.document import NAME, Document, Mention

DETERMINERS = OPENERS | {"that"}


def with_bare_names(document: Document) -> Document:
    """The document with its names made bare; nominals stay as they are."""
    aligner = Aligner(document)
    return replace(document, mentions=[_reduced(mention, document, aligner) for mention in document.mentions])


def _reduced(mention: Mention, document: Document, aligner: Aligner) -> Mention:
    span = aligner.tokens_of(mention.start, mention.end) if mention.kind == NAME else None
    if span is None:
        return mention
    tokens = document.sentences[span.sentence].tokens[span.start : span.end]
    first, last = bare_name([token.text for token in tokens], opens=span.start == 0)
    start, end = tokens[first].start, tokens[last - 1].end
    return replace(mention, start=start, end=end, text=document.text[start:end])


def bare_name(words: Sequence[str], *, opens: bool = False) -> tuple[int, int]:
    """The half-open range of the name itself in a phrase of at least one word.

    It begins behind a determiner and the words in small letters and the punctuation that follow it, and ends
    before a possessive *'s*. A determiner with a capital belongs to the name (*The Hague*), unless it opens
    the sentence. A phrase without a capital or a digit keeps its determiner, and so does one in which
    punctuation follows it at once (*A - 1*).

    >>> bare_name("the late John Graves 's".split())
    (2, 4)
    """
    last = len(words) - (len(words) > 1 and words[-1] in POSSESSIVES)
    determiner = words[0].lower() if opens else words[0]
    if determiner not in DETERMINERS or not _is_word(words[min(1, last - 1)]):
        return 0, last
    return next((place for place in range(1, last) if _may_begin(words[place])), 0), last


def _may_begin(word: str) -> bool:
    return _is_word(word) and not word.islower()


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))
