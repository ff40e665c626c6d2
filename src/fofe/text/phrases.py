"""English noun phrases, by rule and without a parser: their head words, and names without determiners.

The head: a phrase is cut where something begins that follows its head: a preposition, a clause, a comma, a
conjunction, a verb, a participle, another determiner. What is left ends with the head, except for a few words
that may follow it. Words before a possessive `'s` belong to the owner. In a phrase without a noun (`the two`)
the last word is the head.

Bare names (*Thames*, not *the Thames*): corpora differ in whether a determiner, or a possessive *'s*, belongs
to a name. A model that learns from several of them finds only bare names reliably.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fofe.base.settings import read_toml
from fofe.text.align import tokens_of
from fofe.text.document import NAME, NOMINAL, Document, Mention, Token

WORDS = {
    name: frozenset(words.split())
    for name, words in read_toml(Path(__file__).with_name("phrases.toml")).items()
}


def _is(word: str, lists: str) -> bool:
    """True if a word is in one of the lists, whose names are separated by spaces."""
    return any(word in WORDS[name] for name in lists.split())


def _tokens(document: Document, mention: Mention) -> list[Token]:
    """The tokens of a mention; none if it does not begin and end with a token."""
    span = tokens_of(document, mention.start, mention.end)
    return document.sentences[span.sentence].tokens[span.start : span.end] if span else []


def with_heads(document: Document) -> Document:
    """The document with its nominals reduced to their heads: as its corpus gives them, else by rule.

    Names stay unchanged, and so do mentions that do not begin and end with a token.
    """

    def reduced(mention: Mention) -> Mention:
        tokens = _tokens(document, mention)
        if mention.kind != NOMINAL or not (mention.head or tokens):
            return mention
        start, end = mention.head or tokens[head_word([token.text for token in tokens])][1:]
        return replace(mention, start=start, end=end, text=document.text[start:end], head=None)

    return replace(document, mentions=list(map(reduced, document.mentions)))


def with_bare_names(document: Document) -> Document:
    """The document with its names made bare; nominals stay unchanged."""
    starts = {sentence.start for sentence in document.sentences}

    def reduced(mention: Mention) -> Mention:
        tokens = _tokens(document, mention) if mention.kind == NAME else []
        if not tokens:
            return mention
        first, last = bare_name([token.text for token in tokens], opens=mention.start in starts)
        start, end = tokens[first].start, tokens[last - 1].end
        return replace(mention, start=start, end=end, text=document.text[start:end])

    return replace(document, mentions=list(map(reduced, document.mentions)))


def bare_name(words: Sequence[str], *, opens: bool = False) -> tuple[int, int]:
    """The half-open range of the name itself in a phrase of at least one word.

    It begins after a determiner and the lower-case words and punctuation that follow it, and ends before a
    possessive *'s*. A capitalised determiner belongs to the name (*The Hague*), unless it opens the sentence.
    A phrase without a capital or a digit keeps its determiner, and so does one in which punctuation follows
    the determiner directly (*A - 1*).

    >>> bare_name("the late John Graves 's".split())
    (2, 4)
    """
    last = len(words) - (len(words) > 1 and _is(words[-1], "possessives"))
    determiner = words[0].lower() if opens else words[0]
    if determiner not in WORDS["openers"] | {"that"} or not _is_word(words[min(1, last - 1)]):
        return 0, last
    begins = (n for n in range(1, last) if _is_word(words[n]) and not words[n].islower())
    return next(begins, 0), last


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))


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
    for position in range(start, end):
        word = lower[position]
        if _is(word, "possessives") and position + 1 < end and found:
            found = False
        elif (found and _ends_phrase(lower, position, end, head)) or (
            position > start and _is(word, "after_pronouns")
        ):
            break
        elif _may_be_head(word) or (word == "one" and position > start):  # the old one
            if not (found and _is(word, "trailing")):
                head = position
            found = True
        elif not _is(word, "quotes marks") and word != "-":
            fallback = position
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
    """The phrase without quotes, marks and a possessive at its ends, unless nothing would be left."""
    start, end = 0, len(words)
    ignored = WORDS["quotes"] | WORDS["marks"] | WORDS["possessives"] | {"-", "+"}
    while end - start > 1 and words[end - 1] in ignored:
        end -= 1
    while end - start > 1 and words[start] in ignored:
        start += 1
    return start, end


def _may_be_head(word: str) -> bool:
    never = _is(word, "determiners numbers adverbs conjunctions quotes marks") or word == "-"
    return not (never or word[0].isdigit())


def _ends_phrase(words: Sequence[str], position: int, end: int, head: int) -> bool:
    """True if the word at a position, with a possible head before it, is the first that follows the head."""
    word = words[position]
    if words[position - 1] == "-" or (position + 1 < end and words[position + 1] == "-"):
        return False  # a part of a compound: co - founder, by - election
    if _is(word, "conjunctions") or word == ",":
        return not _is_adjective(words[position - 1])
    return _is(word, "prepositions clauses marks openers") or _is_participle(words, position, end, head)


def _is_adjective(word: str) -> bool:
    ending = tuple(WORDS["adjective_endings"])
    return _is(word, "adjectives") or word.endswith(ending) or _is_regular_past(word)


def _is_regular_past(word: str) -> bool:
    return word.endswith("ed") and not _is(word, "ed_nouns") and len(word) > 4


def _is_participle(words: Sequence[str], position: int, end: int, head: int) -> bool:
    """True if a participle follows its noun; one before another noun does not (`a retired teacher`)."""
    word = words[position]
    regular = (word.endswith("ing") and not _is(word, "ing_nouns")) or _is_regular_past(word)
    if not regular and not _is(word, "participles naming"):
        return False
    if head != position - 1 or _is_adjective(words[head]) or words[head].endswith("ly"):
        return False
    if _is(word, "naming"):
        return True
    if position + 1 == end:
        return word.endswith("ed") or words[head].endswith("s") or words[head] in ("people", "men", "women")
    after = words[position + 1]
    shows = _is(after, "prepositions adverbs clauses determiners marks conjunctions")
    return shows or after.endswith("ly") or words[head].endswith("s")
