"""From raw text to sentences and tokens, without any model: `tokeniser("en").document(text)`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import chain

from fofe.base.errors import InputError
from fofe.text.document import Document, Sentence, Token
from fofe.text.languages import PLAIN, RULES
from fofe.text.rules import Rules

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


class Tokeniser:
    """Splits text of one language into sentences and tokens.

    Every character that is not whitespace belongs to exactly one token, tokens are in order, and a token's
    offsets give back its text: `text[token.start:token.end] == token.text`.
    """

    def __init__(self, language: str, rules: Rules) -> None:
        self.language = language
        self._rules = rules

    def __reduce__(self) -> tuple[Callable[[str], Tokeniser], tuple[str]]:
        """Pickle the language alone: rules may contain what cannot be pickled."""
        return tokeniser, (self.language,)

    def document(self, text: str, id: str = "") -> Document:
        """The text with its sentences and tokens."""
        if not isinstance(text, str):  # a missing value of a table, bytes or a list of texts
            remedy = "decode bytes, leave out what is missing, and give several texts to tag"
            raise InputError(f"a text is a string, not of type {type(text).__name__}", remedy=remedy)
        sentences: list[Sentence] = []
        start = 0
        for end in chain(self._rules.sentence_ends(text), (len(text),)):
            if tokens := self._tokens(text, start, end):
                sentences.append(Sentence(tokens))
            start = end
        return Document(text, sentences, id=id)

    def retokenised(self, document: Document) -> list[Sentence]:
        """The sentences of a document with the tokens that they would have here."""
        cut = (self._tokens(document.text, one.start, one.end) for one in document.sentences)
        return [Sentence(tokens) for tokens in cut if tokens]

    def _tokens(self, text: str, start: int, end: int) -> list[Token]:
        # Making the tuple directly avoids Token's constructor, a good part of the total time.
        make, found = tuple.__new__, self._rules.token.finditer(text, start, end)
        return [make(Token, (match[0], match.start(), match.end())) for match in found]


def languages() -> list[str]:
    """The codes of the languages with their own rules, and `xx` for the plain rules."""
    return sorted(RULES)


def tokeniser(language: str) -> Tokeniser:
    """The tokeniser of a language, given by its ISO 639 code; a region may follow (`en-GB`, `zh_TW`).

    English (`en`), Spanish (`es`) and Chinese (`zh`) have their own rules. `xx`, `plain` and every other
    two-letter ISO 639 code get the plain rules, which know no abbreviations; so do three letters, unchecked.
    Anything else is an error.
    """
    code = _CODE.fullmatch(language)
    base = code[1].lower() if code else ""
    base = _OTHER_CODES.get(base, base)
    if base in RULES:
        return _tokeniser(base, base)
    if base in _ISO_CODES.split() or len(base) == 3:
        return _tokeniser(base, PLAIN)
    ruled = [code for code in languages() if code != PLAIN]
    remedy = f"give an ISO 639 code, two letters such as de: {', '.join(ruled)} have rules of their own, "
    remedy += "others share plain ones; xx is for any language"
    raise InputError(f"unknown language {language!r}", remedy=remedy)


@cache
def _tokeniser(language: str, rules: str) -> Tokeniser:
    return Tokeniser(language, RULES[rules]())
