"""From raw text to sentences and tokens, without any model: `tokeniser("en").document(text)`.

- English is tokenised like the Penn Treebank and the CoNLL corpora: clitics are separate tokens (`do n't`,
  `Toronto 's`), compounds with hyphens are one token, abbreviations keep their dots inside a sentence.
- Spanish: `¿ ¡ « »` are split off, abbreviations keep their dots, contractions (`del`, `al`) stay.
- Chinese: each character is a token, runs of Latin letters or digits are one. A sentence ends after 。！？；,
  with the closing quotes that follow, and at every line break.
- All others: words between spaces, punctuation split off, no abbreviations. Scripts without spaces become
  single characters if one character is a sensible token (Han, kana), else they stay together (Thai, Khmer).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain
from pathlib import Path

from fofe.base.errors import InputError
from fofe.base.settings import read_toml
from fofe.text import patterns
from fofe.text.document import Document, Sentence, Token, check_text
from fofe.text.patterns import APOSTROPHES, CLOSING, WORD, Abbreviations

PLAIN = "xx"

_WORDS_IN_CAPITALS = frozenset(["MASS", "MISS", "ILL", "WASH", "MON", "ED", "LA", "PA", "MO", "IND"])
_CLITICS = "[sSmMdD]|re|RE|ve|VE|ll|LL"
_CLIPPED = r"em|EM|til|tis|Tis|twas|Twas|cause|\d\ds?"

_OTHER_CODES = {"eng": "en", "spa": "es", "zho": "zh", "chi": "zh", "cmn": "zh", "plain": PLAIN}
_CODE = re.compile(r"([a-z]{2,3}|plain)(?:[-_][a-z0-9]+)*", re.IGNORECASE)

# The two-letter codes of ISO 639, so that a typing error is not taken for a language.
_ISO_CODES = """
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz
    ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii
    ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi
    mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw
    sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk
    ur uz ve vi vo wa wo xh yi yo za zh zu
"""

Rules = tuple[re.Pattern[str], Callable[[str], Iterable[int]]]
"""The pattern of a token, which skips only whitespace, and the increasing offsets at which sentences end."""


class Tokeniser:
    """Splits text of one language into sentences and tokens.

    Every character that is not whitespace belongs to exactly one token, tokens are in order, and a token's
    offsets give back its text: `text[token.start:token.end] == token.text`.
    """

    def __init__(self, language: str, rules: Rules) -> None:
        self.language = language
        self._token, self._sentence_ends = rules

    def __reduce__(self) -> tuple[Callable[[str], Tokeniser], tuple[str]]:
        """Pickle the language alone: the rest may contain what cannot be pickled."""
        return tokeniser, (self.language,)

    def document(self, text: str, id: str = "") -> Document:
        """The text with its sentences and tokens."""
        check_text(text)
        return Document(text, list(self.sentences(text)), id=id)

    def sentences(self, text: str) -> Iterator[Sentence]:
        """The sentences of a text, one after the other: those of a long one take much memory together."""
        start = 0
        for end in chain(self._sentence_ends(text), (len(text),)):
            if tokens := self._tokens(text, start, end):
                yield Sentence(tokens)
            start = end

    def retokenised(self, document: Document) -> list[Sentence]:
        """The sentences of a document with the tokens that they would have here."""
        cut = (self._tokens(document.text, one.start, one.end) for one in document.sentences)
        return [Sentence(tokens) for tokens in cut if tokens]

    def _tokens(self, text: str, start: int, end: int) -> list[Token]:
        # Making the tuple directly avoids Token's constructor, a good part of the total time. The scanner is
        # what `finditer` makes, which costs memory for the same reason as `np.cumsum` does (`running_sums`).
        scanner = self._token.scanner(text, start, end)  # type: ignore[attr-defined]
        make, found = tuple.__new__, iter(scanner.search, None)
        return [make(Token, (match[0], match.start(), match.end())) for match in found]


def _abbreviations(language: str) -> Abbreviations:
    table = read_toml(Path(__file__).with_name("abbreviations.toml"))[language]
    listed = {name: frozenset(words.split()) for name, words in table.items()}
    if language == "en":  # also in capitals, as in headlines
        for name in ("before_names", "before_numbers", "sometimes_last"):
            listed[name] |= {word.upper() for word in listed[name] if word[0].isupper()} - _WORDS_IN_CAPITALS
    return Abbreviations(**listed)


def _spaced(abbreviations: Abbreviations, *alternatives: str) -> Rules:
    """The rules of a language that is written with spaces and ends sentences by `.!?`."""
    ends = partial(patterns.sentence_ends, abbreviations=abbreviations)
    return patterns.token_pattern(patterns.SIMPLE, *alternatives), ends


def _english() -> Rules:
    abbreviations = _abbreviations("en")
    end = f"(?![{WORD}])"
    not_clitic = f"[nN][{APOSTROPHES}][tT]{end}"
    clitic = rf"[{APOSTROPHES}](?:{_CLITICS}|{_CLIPPED}){end}|[{APOSTROPHES}][nN][{APOSTROPHES}]{end}"
    return _spaced(
        abbreviations,
        clitic,
        not_clitic,
        rf"[A-Za-z]+(?={not_clitic})",
        patterns.ADDRESS,
        patterns.with_dots(abbreviations),
        patterns.LIST_NUMBER,
        patterns.SHORT_SLASHED,
        patterns.CURRENCY,
        r"C(?:\+\+|#)",
        patterns.compound(unjoined_after_apostrophe=_CLITICS),
    )


def _spanish() -> Rules:
    abbreviations = _abbreviations("es")
    ordinal = r"\d{1,4}\.?[ºª]|[nN]\.?º|[Nn]ro\."
    shortened_year = r"['’]\d{2,4}(?!\w)"
    small_letter = rf"[chmps]\.{patterns.INSIDE_SENTENCE}(?=\s)"
    return _spaced(
        abbreviations,
        patterns.ADDRESS,
        ordinal,
        patterns.with_dots(abbreviations),
        small_letter,
        patterns.LIST_NUMBER,
        patterns.SHORT_SLASHED,
        patterns.CURRENCY,
        patterns.compound(),
        shortened_year,
    )


def _chinese() -> Rules:
    han = patterns.UNSPACED
    character = f"[{han}，。、：；？！（）《》“”](?![{patterns.EXTENDING}])"
    percentage = r"\d[\d.,]{0,20}[%％‰]"
    token = patterns.token_pattern(
        character, patterns.ADDRESS, percentage, patterns.ACRONYM, patterns.CURRENCY, patterns.compound()
    )
    wide_marks = "[。！？；｡][。！？；｡!?]*"
    # A narrow mark may also stand in a web address: it counts before a space or Chinese text only. One mark
    # is enough to look at, the last of a series.
    narrow_mark = rf"[!?](?=[\s{CLOSING}{han}]|\Z)"
    end = re.compile(
        rf"(?:{wide_marks}|{narrow_mark})[{CLOSING}]*(?![，、：；。！？｡,:.{CLOSING}])|[\n\r\x0b\x0c\x85\u2028\u2029]"
    )
    return token, lambda text: (match.end() for match in end.finditer(text))


def _plain() -> Rules:
    with_dots = f"{patterns.ACRONYM}|{patterns.INITIAL}"
    return _spaced(Abbreviations(), patterns.ADDRESS, with_dots, patterns.CURRENCY, patterns.compound())


_RULES: dict[str, Callable[[], Rules]] = {"en": _english, "es": _spanish, "zh": _chinese, PLAIN: _plain}
"""By ISO 639 code; `xx` has the plain rules."""


def languages() -> list[str]:
    """The codes of the languages with their own rules, and `xx` for the plain rules."""
    return sorted(_RULES)


def tokeniser(language: str) -> Tokeniser:
    """The tokeniser of a language, given by its ISO 639 code; a region may follow (`en-GB`, `zh_TW`).

    English (`en`), Spanish (`es`) and Chinese (`zh`) have their own rules. `xx`, `plain` and every other
    two-letter ISO 639 code get the plain rules, which know no abbreviations; so do three letters, unchecked.
    Anything else is an error.
    """
    code = _CODE.fullmatch(language)
    base = code[1].lower() if code else ""
    base = _OTHER_CODES.get(base, base)
    if base in _RULES or base in _ISO_CODES.split() or len(base) == 3:
        return _tokeniser(base)
    ruled = [code for code in languages() if code != PLAIN]
    remedy = f"give an ISO 639 code, two letters such as de: {', '.join(ruled)} have rules of their own, "
    remedy += "others share plain ones; xx is for any language"
    raise InputError(f"unknown language {language!r}", remedy=remedy)


@cache
def _tokeniser(language: str) -> Tokeniser:
    return Tokeniser(language, _RULES.get(language, _plain)())
