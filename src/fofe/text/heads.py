"""The head word of an English noun phrase, by rule and without a parser.

A phrase is cut where something begins that follows its head: a preposition, a clause, a comma, a conjunction,
a verb, a participle, another determiner. What is left ends with the head, apart from a few words that may
trail behind it. Words before a possessive `'s` belong to the owner. A phrase without a noun (`the two`) has
its last word for a head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fofe.text._phrase_words import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    AFTER_PRONOUNS,
    CLAUSES,
    CONJUNCTIONS,
    DETERMINERS,
    ED_NOUNS,
    ING_NOUNS,
    MARKS,
    NAMING,
    NUMBERS,
    OPENERS,
    PARTICIPLES,
    POSSESSIVES,
    PREPOSITIONS,
    QUOTES,
    TRAILING,
)
from fofe.text.align import Aligner
from fofe.text.document import NOMINAL, Document, Mention


def with_heads(document: Document) -> Document:
    """The document with its nominals reduced to their heads: as its corpus gives them, else by rule.

    Names stay as they are, and so do mentions that do not begin and end with a token.
    """
    aligner = Aligner(document)
    return replace(document, mentions=[_reduced(mention, document, aligner) for mention in document.mentions])


def _reduced(mention: Mention, document: Document, aligner: Aligner) -> Mention:
    if mention.kind != NOMINAL:
        return mention
    if mention.head is not None:
        start, end = mention.head
    else:
        span = aligner.tokens_of(mention.start, mention.end)
        if span is None:
            return mention
        tokens = document.sentences[span.sentence].tokens[span.start : span.end]
        _, start, end = tokens[head_word([token.text for token in tokens])]
    return replace(mention, start=start, end=end, text=document.text[start:end], head=None)


def head_word(words: Sequence[str]) -> int:
    """The position of the head of a noun phrase of at least one word.

    >>> words = "his closest friend from the old days".split()
    >>> words[head_word(words)]
    'friend'
    """
    lower = [word.lower() for word in words]
    start, end = _without_marks(lower)
    head = fallback = start
    found = False
    for place in range(start, end):
        word = lower[place]
        if word in POSSESSIVES and place + 1 < end and found:
            found = False
        elif (found and _ends_phrase(lower, place, end, head)) or (place > start and word in AFTER_PRONOUNS):
            break
        elif _may_be_head(word) or (word == "one" and place > start):  # the old one
            if not (found and word in TRAILING):
                head = place
            found = True
        elif word not in QUOTES and word not in MARKS and word != "-":
            fallback = place
    return _before_name(words, start, head) if found else fallback


def _before_name(words: Sequence[str], start: int, head: int) -> int:
    """The noun in front of a name, if the phrase ends with one: the physician Yang Buwei."""
    first = head
    while first > start and words[first][0].isupper() and words[first - 1][0].isupper():
        first -= 1
    before = words[first - 1] if first > start else ""
    if words[first][0].isupper() and before.islower() and len(before) > 2 and _is_noun(before):
        return first - 1
    return head


def _is_noun(word: str) -> bool:
    return _may_be_head(word) and not _is_adjective(word) and not word.endswith(("ed", "ing", "ly"))


def _without_marks(words: Sequence[str]) -> tuple[int, int]:
    """The phrase without quotes, marks and a possessive at its ends, if that leaves anything."""
    start, end = 0, len(words)
    ignored = QUOTES | MARKS | POSSESSIVES | {"-", "+"}
    while end - start > 1 and words[end - 1] in ignored:
        end -= 1
    while end - start > 1 and words[start] in ignored:
        start += 1
    return start, end


def _may_be_head(word: str) -> bool:
    return not (
        word in DETERMINERS
        or word in NUMBERS
        or word in ADVERBS
        or word in CONJUNCTIONS
        or word in QUOTES
        or word in MARKS
        or word == "-"
        or word[0].isdigit()
    )


def _ends_phrase(words: Sequence[str], place: int, end: int, head: int) -> bool:
    """Whether the word at a place, with a possible head before it, is the first that follows the head."""
    word = words[place]
    if words[place - 1] == "-" or (place + 1 < end and words[place + 1] == "-"):
        return False  # a part of a compound: co - founder, by - election
    if word in CONJUNCTIONS or word == ",":
        return not _is_adjective(words[place - 1])
    if word in PREPOSITIONS or word in CLAUSES or word in MARKS or word in OPENERS:
        return True
    return _is_participle(words, place, end, head)


def _is_adjective(word: str) -> bool:
    return word in ADJECTIVES or word.endswith(ADJECTIVE_ENDINGS) or _is_regular_past(word)


def _is_regular_past(word: str) -> bool:
    return word.endswith("ed") and word not in ED_NOUNS and len(word) > 4


def _is_participle(words: Sequence[str], place: int, end: int, head: int) -> bool:
    """Whether a participle follows its noun; one before another noun does not (`a retired teacher`)."""
    word = words[place]
    regular = (word.endswith("ing") and word not in ING_NOUNS) or _is_regular_past(word)
    if not regular and word not in PARTICIPLES and word not in NAMING:
        return False
    if head != place - 1 or _is_adjective(words[head]) or words[head].endswith("ly"):
        return False
    if word in NAMING:
        return True
    if place + 1 == end:
        return word.endswith("ed") or words[head].endswith("s") or words[head] in ("people", "men", "women")
    after = words[place + 1]
    return (
        after in PREPOSITIONS
        or after in ADVERBS
        or after in CLAUSES
        or after in DETERMINERS
        or after in MARKS
        or after in CONJUNCTIONS
        or after.endswith("ly")
        or words[head].endswith("s")
    )
