"""The rules of each language: how its text is cut into sentences and tokens.

- English is tokenised like the Penn Treebank and the CoNLL corpora: clitics are separate tokens (`do n't`,
  `Toronto 's`), compounds with hyphens are one token, abbreviations keep their dots inside a sentence.
- Spanish: `¿ ¡ « »` are split off, abbreviations keep their dots, contractions (`del`, `al`) stay.
- Chinese: each character is a token, runs of Latin letters or digits are one. A sentence ends after 。！？；,
  with the closing quotes that follow, and at every line break.
- All others: words between spaces, punctuation split off, no abbreviations. Scripts without spaces become
  single characters if one character is a sensible token (Han, kana), else they stay together (Thai, Khmer).
"""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fofe.base.settings import read_toml
from fofe.text import rules
from fofe.text.rules import APOSTROPHES, CLOSING, WORD, Abbreviations, Rules

PLAIN = "xx"

_WORDS_IN_CAPITALS = frozenset(["MASS", "MISS", "ILL", "WASH", "MON", "ED", "LA", "PA", "MO", "IND"])
_CLITICS = "[sSmMdD]|re|RE|ve|VE|ll|LL"
_CLIPPED = r"em|EM|til|tis|Tis|twas|Twas|cause|\d\ds?"


def _abbreviations(language: str) -> Abbreviations:
    table = read_toml(Path(__file__).with_name("abbreviations.toml"))[language]
    listed = {name: frozenset(words.split()) for name, words in table.items()}
    if language == "en":  # also in capitals, as in headlines
        for name in ("before_names", "before_numbers", "sometimes_last"):
            listed[name] |= {word.upper() for word in listed[name] if word[0].isupper()} - _WORDS_IN_CAPITALS
    return Abbreviations(**listed)


def _english() -> Rules:
    abbreviations = _abbreviations("en")
    end = f"(?![{WORD}])"
    not_clitic = f"[nN][{APOSTROPHES}][tT]{end}"
    clitic = rf"[{APOSTROPHES}](?:{_CLITICS}|{_CLIPPED}){end}|[{APOSTROPHES}][nN][{APOSTROPHES}]{end}"
    token = rules.token_pattern(
        rules.SIMPLE,
        clitic,
        not_clitic,
        rf"[A-Za-z]+(?={not_clitic})",
        rules.ADDRESS,
        rules.with_dots(abbreviations),
        rules.LIST_NUMBER,
        rules.SHORT_SLASHED,
        rules.CURRENCY,
        r"C(?:\+\+|#)",
        rules.compound(unjoined_after_apostrophe=_CLITICS),
    )
    return Rules(token, partial(rules.sentence_ends, abbreviations=abbreviations))


def _spanish() -> Rules:
    abbreviations = _abbreviations("es")
    ordinal = r"\d{1,4}\.?[ºª]|[nN]\.?º|[Nn]ro\."
    shortened_year = r"['’]\d{2,4}(?!\w)"
    small_letter = rf"[chmps]\.{rules.INSIDE_SENTENCE}(?=\s)"
    token = rules.token_pattern(
        rules.SIMPLE,
        rules.ADDRESS,
        ordinal,
        rules.with_dots(abbreviations),
        small_letter,
        rules.LIST_NUMBER,
        rules.SHORT_SLASHED,
        rules.CURRENCY,
        rules.compound(),
        shortened_year,
    )
    return Rules(token, partial(rules.sentence_ends, abbreviations=abbreviations))


def _chinese() -> Rules:
    han = rules.UNSPACED
    character = f"[{han}，。、：；？！（）《》“”](?![{rules.EXTENDING}])"
    percentage = r"\d[\d.,]{0,20}[%％‰]"
    token = rules.token_pattern(
        character, rules.ADDRESS, percentage, rules.ACRONYM, rules.CURRENCY, rules.compound()
    )
    wide_marks = "[。！？；｡][。！？；｡!?]*"
    # A narrow mark may also stand in a web address: it counts before a space or Chinese text only. One mark
    # is enough to look at, the last of a series.
    narrow_mark = rf"[!?](?=[\s{CLOSING}{han}]|\Z)"
    end = re.compile(
        rf"(?:{wide_marks}|{narrow_mark})[{CLOSING}]*(?![，、：；。！？｡,:.{CLOSING}])|[\n\r\x0b\x0c\x85\u2028\u2029]"
    )
    return Rules(token, lambda text: (match.end() for match in end.finditer(text)))


def _plain() -> Rules:
    token = rules.token_pattern(
        rules.SIMPLE, rules.ADDRESS, rules.ACRONYM, rules.INITIAL, rules.CURRENCY, rules.compound()
    )
    return Rules(token, partial(rules.sentence_ends, abbreviations=Abbreviations()))


RULES: dict[str, Callable[[], Rules]] = {"en": _english, "es": _spanish, "zh": _chinese, PLAIN: _plain}
"""By ISO 639 code; `xx` has the plain rules."""
