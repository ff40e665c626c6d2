"""Tag schemes: how the tags of a sentence spell its mentions, and the other way round.

All schemes are read the same forgiving way, that of the conlleval scorer: a tag that continues no mention
starts one, and a mention ends where its tags end. What a scheme adds is which letters it uses and which
sequences it calls broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from fofe.base.errors import InputError

OUTSIDE = "O"
ORPHAN = "tags that continue no mention, read as the start of one"
UNFINISHED = "mentions without a last tag, ended where their tags end"
NEEDLESS = "B- tags where IOB1 has I-, read as the start of a mention"


class TagSpan(NamedTuple):
    """The tokens `start` to `end` (half-open) of a sentence and their label."""

    start: int
    end: int
    label: str


class Fault(NamedTuple):
    """A token whose tag breaks the scheme, and how it was read."""

    position: int
    mend: str


class Scheme:
    """Letters for the first, a middle, the last and the only token of a mention."""

    name: ClassVar[str]
    begin: ClassVar[str] = "B"
    inside: ClassVar[str] = "I"
    end: ClassVar[str] = "I"
    single: ClassVar[str] = "B"

    @property
    def letters(self) -> set[str]:
        return {self.begin, self.inside, self.end, self.single}

    def decode(self, tags: Sequence[str]) -> tuple[list[TagSpan], list[Fault]]:
        """The mentions of a sentence in order, and the tags that had to be mended."""
        spans: list[TagSpan] = []
        faults: list[Fault] = []
        start = -1
        label = before = ""
        for position, tag in enumerate([*tags, OUTSIDE]):
            letter, _, tag_label = tag.partition("-")
            continues = start >= 0 and letter in (self.inside, self.end) and tag_label == label
            if not continues:
                if start >= 0:
                    spans.append(TagSpan(start, position, label))
                    if self._marks_ends:
                        faults.append(Fault(position - 1, UNFINISHED))
                start = -1
                if letter != OUTSIDE:
                    start, label = position, tag_label
                    mend = self.mend_of_start(letter, before == tag_label)
                    if mend is not None:
                        faults.append(Fault(position, mend))
            if start >= 0 and self._marks_ends and letter in (self.end, self.single):
                spans.append(TagSpan(start, position + 1, label))
                start = -1
            before = tag_label
        return spans, faults

    def encode(self, spans: Iterable[TagSpan], length: int) -> list[str]:
        """The tags of a sentence of `length` tokens; the spans must not overlap."""
        tags = [OUTSIDE] * length
        for span in sorted(spans):
            middle = [self.inside] * (span.end - span.start - 2)
            letters = [self.single] if span.end - span.start == 1 else [self.begin, *middle, self.end]
            tags[span.start : span.end] = [f"{letter}-{span.label}" for letter in letters]
        return tags

    def mend_of_start(self, letter: str, after_same_label: bool) -> str | None:  # noqa: ARG002
        """How a tag that starts a mention had to be mended, if it should not start one here."""
        return None if letter in (self.begin, self.single) else ORPHAN

    @property
    def _marks_ends(self) -> bool:
        return self.end != self.inside


class IOB2(Scheme):
    """B- starts every mention; also called BIO."""

    name = "IOB2"


class IOB1(Scheme):
    """B- stands only between two mentions of one label that touch; otherwise I- starts a mention."""

    name = "IOB1"

    def encode(self, spans: Iterable[TagSpan], length: int) -> list[str]:
        tags = [OUTSIDE] * length
        for span in sorted(spans):
            touches = span.start > 0 and tags[span.start - 1].partition("-")[2] == span.label
            tags[span.start : span.end] = [f"I-{span.label}"] * (span.end - span.start)
            if touches:
                tags[span.start] = f"B-{span.label}"
        return tags

    def mend_of_start(self, letter: str, after_same_label: bool) -> str | None:
        return NEEDLESS if letter == self.begin and not after_same_label else None


class BIOES(Scheme):
    """E- ends a mention of several tokens, S- is a whole mention; also called IOBES."""

    name = "BIOES"
    end = "E"
    single = "S"


class BMES(Scheme):
    """As BIOES with M- (middle) for I-; usual for Chinese."""

    name = "BMES"
    inside = "M"
    end = "E"
    single = "S"


class BMEWO(Scheme):
    """As BMES with W- (whole) for S-."""

    name = "BMEWO"
    inside = "M"
    end = "E"
    single = "W"


class BILOU(Scheme):
    """As BIOES with L- (last) for E- and U- (unit) for S-."""

    name = "BILOU"
    end = "L"
    single = "U"


SCHEMES: tuple[Scheme, ...] = (IOB2(), IOB1(), BIOES(), BMES(), BMEWO(), BILOU())
_ALIASES = {
    "BIO": "IOB2",
    "BIO2": "IOB2",
    "IOBES": "BIOES",
    "BIEOS": "BIOES",
    "BMESO": "BMES",
    "BIOUL": "BILOU",
}
LETTERS = {letter for scheme in SCHEMES for letter in scheme.letters}
"""Every letter that a tag may begin with, apart from O."""


def scheme_named(name: str) -> Scheme:
    """The scheme of that name, whatever its case; an error lists the accepted ones."""
    wanted = _ALIASES.get(name.upper(), name.upper())
    for scheme in SCHEMES:
        if scheme.name == wanted:
            return scheme
    raise InputError(f"unknown tag scheme {name!r}", remedy=f"use one of {scheme_names()}")


def scheme_names() -> str:
    """The accepted schemes and their other names, for messages."""
    return ", ".join([*(scheme.name for scheme in SCHEMES), *_ALIASES])


def detect_scheme(sentences: Iterable[Sequence[str]]) -> Scheme:
    """The scheme that the tags of the sentences break least; of equals, the most usual one."""
    sentences = list(sentences)
    seen = {tag[0] for tags in sentences for tag in tags} - {OUTSIDE}
    fitting = [scheme for scheme in SCHEMES if seen <= scheme.letters]
    if not fitting:
        raise InputError(
            f"tags that begin with {', '.join(sorted(seen))} fit no tag scheme",
            remedy=f"accepted schemes: {scheme_names()}",
        )
    # With the letters of the first one alone the others could only be more broken.
    rivals = [scheme for scheme in fitting if scheme.letters == fitting[0].letters]
    if len(rivals) == 1:
        return rivals[0]
    return min(rivals, key=lambda scheme: sum(len(scheme.decode(tags)[1]) for tags in sentences))
