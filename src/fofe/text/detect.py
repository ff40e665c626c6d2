"""Language detection: English, Spanish or Chinese, by script and by the most frequent words.

No model is needed. Chinese is recognised by its characters, the others by very frequent words and by accented
letters, which decide short sentences. Similar languages are listed too: a text that fits one of them best is
neither English nor Spanish. A word that several languages share (*in*, *met*, *come*) is listed for each of
them; otherwise it would count for one alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

SAMPLE_LENGTH = 20_000
"""The number of characters examined; more would not change the answer."""

_LEAST = 1.0
"""The least evidence: a word or accented letter counts 1, shared among the languages that have it."""
_LEAD = 1.5
"""The least ratio of evidence between the first language and the second."""

_LANGUAGES: Final = ("en", "es", "zh")

_COMMON: Final = MappingProxyType(
    {
        "en": """the of and to is that for with was on by this from at are were have which their they his her
        she would been has had will you your what when there who out up about into than them then its said
        a in as an it not be he or but we i if do no all can could did my our us him one more some after met
        come per die door hat van""",
        "es": """el los las y del una por con para su al lo como más pero sus le ya este sí porque esta entre
        cuando muy sin sobre también hasta hay donde quien desde todo nos durante uno ni contra otros ese eso
        de la que en se un es no ser fue son han según dijo años dos está a he come o""",
        "fr": """le les et des du une est pour dans au aux qui sur par plus avec ne pas ce sont cette ou il
        elle été leur mais nous vous ont ses comme de la que en se un à a""",
        "pt": """o os as e do da dos das um uma em no na para com não por mais se foi ao seu sua ou ser quando
        muito há nos já está também pelo pela até isso são de que a""",
        "it": """il di che e per una con non del si da dei nel alla più le della ma anche al sono è gli come
        ha lo ed della nella delle dal questo la un in a i o""",
        "ca": """els les i amb per a és dels va més però seu aquest aquesta són dir fer als pels ha hi què
        molt fins també o""",
        "de": """der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an
        werden aus er hat dass sie nach wird bei um noch wie in""",
        "nl": """de het een van en dat die te zijn met voor niet op aan er om ook als bij maar uit nog naar
        door wordt werd hij ze in we""",
    }
)

_LETTERS: Final = MappingProxyType(
    {
        "es": "¿¡ñáéíóú",
        "fr": "éàèùçêâîôû",
        "pt": "áéíóúàçêâôãõ",
        "it": "éàèìòù",
        "ca": "éíóúàèòç",
    }
)


def _languages_of(signs: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """The languages that have each word or letter."""
    by_sign: dict[str, tuple[str, ...]] = {}
    for language, of_language in signs.items():
        for sign in dict.fromkeys(of_language):
            by_sign[sign] = (*by_sign.get(sign, ()), language)
    return by_sign


_LANGUAGES_OF: Final = MappingProxyType(
    _languages_of({language: words.split() for language, words in _COMMON.items()}) | _languages_of(_LETTERS)
)

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_OTHER_ASIAN = re.compile("[\u3041-\u309f\u30a1-\u30fa\uac00-\ud7a3]")
_FIRST_HANGUL: Final = "\uac00"
_WORD = re.compile(r"[^\W\d_]+")
_MARKED = re.compile(f"[{''.join(_LETTERS.values())}]")


def detect(text: str) -> str | None:
    """`en`, `es` or `zh`; None for another language, for a mixture, and for too little text."""
    language = recognise(text)
    return language if language in _LANGUAGES else None


def recognise(text: str) -> str | None:
    """`en`, `es`, `zh` or one of the similar languages; None for a mixture or too little text."""
    text = text[:SAMPLE_LENGTH].lower()
    han = len(_HAN.findall(text))
    others = _OTHER_ASIAN.findall(text)
    words = _WORD.findall(_OTHER_ASIAN.sub(" ", _HAN.sub(" ", text)))
    if han + len(others) > len(words):
        if len(others) * 10 < han:
            return "zh"
        return "ko" if others[0] >= _FIRST_HANGUL else "ja"
    evidence = dict.fromkeys(_COMMON, 0.0)
    for sign in (*words, *_MARKED.findall(text)):
        languages = _LANGUAGES_OF.get(sign, ())
        for language in languages:
            evidence[language] += 1 / len(languages)
    first, second = sorted(evidence, key=evidence.__getitem__, reverse=True)[:2]
    clear = evidence[first] >= max(_LEAST, _LEAD * evidence[second])
    return first if clear else None
