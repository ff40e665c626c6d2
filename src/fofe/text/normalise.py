"""The forms of words that a model sees: composed, shortened and simplified, with digits replaced by classes.

This is for the network alone: tokens and offsets stay those of the caller's own text.

There are too many numbers for each to have a vector, so a vocabulary has classes of them. A digit rule maps a
token to its class for look-up. A model's configuration names the rule that its vocabulary was made with.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

from fofe.base.errors import ConfigError

MOST_CHARACTERS = 100
"""Of a longer word only the beginning and the end are kept: each character costs memory."""


CHINESE = "zh"


def normalise(words: list[str], language: str = "") -> list[str]:
    """The words of a sentence with their accents composed (NFC), and very long words shortened.

    Chinese is simplified, character by character: corpora and word vectors of traditional text are rare.
    """
    text = "".join(words)
    if language == CHINESE and not text.isascii():
        words = [word.translate(_simplified()) for word in words]
    if not text.isascii():
        words = [unicodedata.normalize("NFC", word) for word in words]
    if len(text) > MOST_CHARACTERS and max(map(len, words)) > MOST_CHARACTERS:
        half = MOST_CHARACTERS // 2
        words = [word if len(word) <= MOST_CHARACTERS else word[:half] + word[-half:] for word in words]
    return words


@cache
def _simplified() -> dict[int, str]:
    """The simplified forms of traditional characters."""
    lines = Path(__file__).with_name("simplified.txt").read_text("utf-8").splitlines()
    pairs = (pair for line in lines if not line.startswith("#") for pair in line.split())
    return str.maketrans({pair[0]: pair[1] for pair in pairs})


DigitRule = Callable[[str], str]

_NUMBER = re.compile(r"[\d.,]+")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DIGITS_OR_LETTERS = re.compile(r"(\d+)|[^\W\d_]+")

_CLASSES = re.compile(
    r"""
      (?P<date> \d{4}([-/.])\d{1,2}\2\d{1,2} | \d{1,2}([-/.])\d{1,2}\3(?:\d{4}|\d{2}) )
    | (?P<time> \d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:[ap]\.?m\.?)? | \d{1,2}[ap]\.?m\.? )
    | (?P<percent> [+\-−]?[\d.,]+[%％‰] )
    | (?P<money> [A-Z]{0,3}[$€£¥₹₩]\d[\d.,]*(?:bn|[kmbt])? | \d[\d.,]*[$€£¥₹₩] )
    | (?P<phone> \+\d+(?:-\d+)+ | (?:\d-)?\d{3}-\d{3}-\d{4} | \d{3}-\d{4} )
    | (?P<ordinal> [\d,]+(?:st|nd|rd|th) | \d+\.?[ºª°] )
    | (?P<year> (?:1\d|20)\d\d )
    | (?P<decade> (?:1\d|20)\d0['’]?s | ['’]?\d0['’]?s )
    | (?P<number> [+\-−]?[\d.,]+ )
    | (?P<fraction> (?:\d+-)?\d+/\d+ )
    | (?P<range> \d[\d.,]*[-–:]\d[\d.,]* )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def _has_digit(token: str) -> bool:
    return not token.isalpha() and any(map(str.isdigit, token))


def shape_class(token: str) -> str:
    """The class of a token by its shape, as in the published vectors.

    Digits, dots and commas alone give `<num1>` to `<num6>` by their number (6 and more together), a date like
    1996-12-06 `<date>`, and anything else its shape in angle brackets, with every run of digits as `0` and
    every run of letters as `a`: `<0-a>`, `<a0>`, `<0:0>`. A superscript counts as a letter (`km²` is `<a>`),
    as it does in those vectors.
    """
    if not _has_digit(token):
        return token
    if _NUMBER.fullmatch(token):
        return f"<num{min(len(token), 6)}>"
    if _ISO_DATE.fullmatch(token):
        return "<date>"
    return f"<{_DIGITS_OR_LETTERS.sub(lambda run: '0' if run[1] else 'a', token)}>"


def named_class(token: str) -> str:
    """The class of a token by its most likely meaning: `<number>`, `<date>`, `<time>`, `<phone>` ...

    Other tokens are `<alphanumeric>` if they contain letters, else `<numeric>`.
    """
    if not _has_digit(token):
        return token
    if match := _CLASSES.fullmatch(token):
        return f"<{match.lastgroup}>"
    return "<alphanumeric>" if any(map(str.isalpha, token)) else "<numeric>"


DIGIT_RULES: dict[str, DigitRule] = {"shape": shape_class, "classes": named_class, "none": str}


def digit_rule(name: str) -> DigitRule:
    """The rule of that name: `shape` (the usual one), `classes` or `none`."""
    if name not in DIGIT_RULES:
        remedy = f"choose one of {', '.join(DIGIT_RULES)}"
        raise ConfigError(f"there is no digit rule {name!r}", remedy=remedy)
    return DIGIT_RULES[name]
