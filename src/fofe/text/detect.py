"""Language detection by script, and by the words and trigrams that are frequent in each language.

`detect.toml` lists them by language and probability: 4 stands for 2 to the power of -4. What is not listed
counts as rare. The language that makes the text most probable is the answer, if it fits the text well and
clearly better than the others. A mixture is taken for the language that most of it is in.
`benchmarks/language_profiles.py` has made the lists, `benchmarks/language.py` measures what they are worth.
"""

import re
from functools import cache, lru_cache
from pathlib import Path

from fofe.base.settings import read_toml
from fofe.text.document import check_text

SAMPLE_LENGTH = 20_000
"""The number of characters examined; more would not change the answer."""

RARE = 16
"""The probability of what is not listed."""
_LEAST_FIT = 2.7
"""The least evidence for each word and trigram, in bits: text of an unknown language has less."""
_MANY = 6
"""So many words are hardly all names."""
_LEAST_LEAD = 2
_LEAST_LEAD_OF_FEW = 12
"""The least evidence for the first language over the second, in bits, of many words and of few."""
_PRIOR = {"ca": -8, "nl": -8}
"""The evidence before anything is read: Spanish could often be Catalan, and English Dutch, but seldom is."""

_LANGUAGES = ("en", "es", "zh")

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_OTHER_ASIAN = re.compile("[\u3041-\u309f\u30a1-\u30fa\uac00-\ud7a3]")
_FIRST_HANGUL = "\uac00"
_CODE = re.compile(r"[\d_%{}<>@#$=|/\\]|^-")
"""Found in numbers, addresses, options and markup, which have no language."""
_WORD = re.compile(r"[^\W\d_]+")


def detect(text: str) -> str | None:
    """`en`, `es` or `zh`; None for another language, and for too little text."""
    language = recognise(text)
    return language if language in _LANGUAGES else None


def recognise(text: str) -> str | None:
    """The code of one of the known languages; None for others and for too little text.

    They are English, Spanish, Chinese, French, German, Italian, Portuguese, Catalan, Dutch, Japanese, Korean.
    """
    check_text(text)
    text = text[:SAMPLE_LENGTH].lower()
    han = len(_HAN.findall(text))
    others = _OTHER_ASIAN.findall(text)
    words = words_of(_OTHER_ASIAN.sub(" ", _HAN.sub(" ", text)))
    if han + len(others) > len(words):
        if len(others) * 10 < han:
            return "zh"
        return "ko" if others[0] >= _FIRST_HANGUL else "ja"
    evidence = dict.fromkeys(_profiles(), 0) | _PRIOR
    for word in words:
        for language, bits in zip(evidence, _evidence(word), strict=True):
            evidence[language] += bits
    first, second = sorted(evidence, key=evidence.__getitem__, reverse=True)[:2]
    least = _LEAST_LEAD if len(words) >= _MANY else _LEAST_LEAD_OF_FEW
    clear = evidence[first] - evidence[second] >= least
    fits = evidence[first] >= _LEAST_FIT * sum(len(features(word)) for word in words)
    return first if clear and fits else None


def words_of(text: str) -> list[str]:
    """The words of a text, without what has no language, such as addresses and markup."""
    return [word for piece in text.split() if not _CODE.search(piece) for word in _WORD.findall(piece)]


def features(word: str) -> list[str]:
    """The trigrams of a word, `_` being its borders, and the word itself."""
    padded = f"_{word}_"
    trigrams = [padded[start : start + 3] for start in range(len(word))]
    return trigrams if len(word) == 1 else [*trigrams, padded]


@lru_cache(10_000)
def _evidence(word: str) -> tuple[int, ...]:
    """The evidence of a word for each language: how many bits its features are above those not listed."""
    return tuple(sum(of.get(feature, 0) for feature in features(word)) for of in _profiles().values())


@cache
def _profiles() -> dict[str, dict[str, int]]:
    """The evidence of each feature by language."""
    lists = read_toml(Path(__file__).with_name("detect.toml"))
    return {
        language: {feature: RARE - int(bits) for bits, features in of.items() for feature in features.split()}
        for language, of in lists.items()
    }
