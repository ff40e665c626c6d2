"""Tag schemes: from the tags of a sentence to its mentions, and back.

All schemes are read with the tolerance of the conlleval scorer: a tag that continues no mention starts one,
and a mention ends where its tags end. A scheme defines the letters and which sequences are faults.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fofe.base.errors import InputError

OUTSIDE = "O"
ORPHAN = "tags without a mention to continue, read as the start of one"
UNFINISHED = "mentions without a last tag, ended where the tags end"
NEEDLESS = "B- tags where IOB1 has I-, read as the start of a mention"


TagSpan = tuple[int, int, str]
"""The half-open tokens of a mention in its sentence, and its label."""
Fault = tuple[int, str]
"""The position of a token whose tag breaks the scheme, and how it was read."""


@dataclass(frozen=True)
class TagScheme:
    """Letters for the first, a middle, the last and the only token of a mention."""

    name: str
    begin: str = "B"
    inside: str = "I"
    end: str = "I"
    single: str = "B"
    begins_inside: bool = False
    """True if the letter `inside` starts a mention, except after another one of the same label."""
    aliases: tuple[str, ...] = ()

    @property
    def letters(self) -> set[str]:
        return {self.begin, self.inside, self.end, self.single}

    def decode(self, tags: Sequence[str]) -> tuple[list[TagSpan], list[Fault]]:
        """The mentions of a sentence in order, and the tags that had to be mended."""
        spans: list[TagSpan] = []
        faults: list[Fault] = []
        start = -1
        label = before = ""
        marks_ends = self.end != self.inside
        for position, tag in enumerate([*tags, OUTSIDE]):
            letter, _, tag_label = tag.partition("-")
            continues = start >= 0 and letter in (self.inside, self.end) and tag_label == label
            if not continues:
                if start >= 0:
                    spans.append((start, position, label))
                    if marks_ends:
                        faults.append((position - 1, UNFINISHED))
                start = -1
                if letter != OUTSIDE:
                    start, label = position, tag_label
                    if not self.begins_inside and letter not in (self.begin, self.single):
                        faults.append((position, ORPHAN))
                    elif self.begins_inside and letter == self.begin and before != tag_label:
                        faults.append((position, NEEDLESS))
            if start >= 0 and marks_ends and letter in (self.end, self.single):
                spans.append((start, position + 1, label))
                start = -1
            before = tag_label
        return spans, faults

    def encode(self, spans: Iterable[TagSpan], length: int) -> list[str]:
        """The tags of a sentence of `length` tokens; the spans must not overlap."""
        tags = [OUTSIDE] * length
        for start, end, label in sorted(spans):
            several = [self.begin, *[self.inside] * (end - start - 2), self.end]
            letters = several if end - start > 1 else [self.single]
            touches = start > 0 and tags[start - 1].partition("-")[2] == label
            if self.begins_inside and not touches:
                letters[0] = self.inside
            tags[start:end] = [f"{letter}-{label}" for letter in letters]
        return tags


TAG_SCHEMES = (
    TagScheme("IOB2", aliases=("BIO", "BIO2")),
    TagScheme("IOB1", begins_inside=True),
    TagScheme("BIOES", end="E", single="S", aliases=("IOBES", "BIEOS")),
    TagScheme("BMES", inside="M", end="E", single="S", aliases=("BMESO",)),
    TagScheme("BMEWO", inside="M", end="E", single="W"),
    TagScheme("BILOU", end="L", single="U", aliases=("BIOUL",)),
)
_ALIASES = [alias for scheme in TAG_SCHEMES for alias in scheme.aliases]
_ACCEPTED = ", ".join([*(scheme.name for scheme in TAG_SCHEMES), *_ALIASES])
LETTERS = {letter for scheme in TAG_SCHEMES for letter in scheme.letters}
"""Every letter that a tag may begin with, except O."""


def tag_scheme(name: str) -> TagScheme:
    """The scheme of that name, whatever its case; an error lists the accepted ones."""
    for scheme in TAG_SCHEMES:
        if name.upper() in (scheme.name, *scheme.aliases):
            return scheme
    raise InputError(f"unknown tag scheme {name!r}", remedy=f"use one of {_ACCEPTED}")


def detect_tag_scheme(sentences: Iterable[Sequence[str]]) -> TagScheme:
    """The scheme with the fewest faults in the sentences; of equals, the most common one."""
    sentences = list(sentences)
    seen = {tag[0] for tags in sentences for tag in tags} - {OUTSIDE}
    fitting = [scheme for scheme in TAG_SCHEMES if seen <= scheme.letters]
    if not fitting:
        problem = f"tags that begin with {', '.join(sorted(seen))} fit no tag scheme"
        raise InputError(problem, remedy=f"accepted schemes: {_ACCEPTED}")
    # Schemes with more letters than the first could only have more faults.
    rivals = [scheme for scheme in fitting if scheme.letters == fitting[0].letters]
    if len(rivals) == 1:
        return rivals[0]
    return min(rivals, key=lambda scheme: sum(len(scheme.decode(tags)[1]) for tags in sentences))


_TAG = re.compile(f"{OUTSIDE}|[{''.join(sorted(LETTERS))}]-.+", re.DOTALL)


def is_tag(text: str) -> bool:
    """True if a column looks like a tag of any scheme: O, or a letter and a label."""
    return _TAG.fullmatch(text) is not None
