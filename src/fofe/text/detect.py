"""Language detection: English, Spanish or Chinese, by script and by the most frequent words.

No model is needed. Chinese is recognised by its characters, the others by very frequent words and by accented
letters, which decide short sentences. Similar languages are listed too: a text that fits one of them best is
neither English nor Spanish. A word that several languages share (*in*, *met*, *come*) is listed for each of
them in `detect.toml`; otherwise it would count for one alone.
"""

import re
from pathlib import Path

from fofe.base.settings import read_toml

SAMPLE_LENGTH = 20_000
"""The number of characters examined; more would not change the answer."""

_LEAST = 1.0
"""The least evidence: a word or accented letter counts 1, shared among the languages that have it."""
_LEAD = 1.5
"""The least ratio of evidence between the first language and the second."""

_LANGUAGES = ("en", "es", "zh")

_LISTS = read_toml(Path(__file__).with_name("detect.toml"))
_LANGUAGES_OF: dict[str, list[str]] = {}
"""The languages that have each word or letter."""
for _language, _text in _LISTS["words"].items():
    for _sign in dict.fromkeys([*_text.split(), *_LISTS["letters"].get(_language, "")]):
        _LANGUAGES_OF.setdefault(_sign, []).append(_language)

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_OTHER_ASIAN = re.compile("[\u3041-\u309f\u30a1-\u30fa\uac00-\ud7a3]")
_FIRST_HANGUL = "\uac00"
_WORD = re.compile(r"[^\W\d_]+")
_MARKED = re.compile("[" + "".join(_LISTS["letters"].values()) + "]")


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
    evidence = dict.fromkeys(_LISTS["words"], 0.0)
    for sign in (*words, *_MARKED.findall(text)):
        languages = _LANGUAGES_OF.get(sign, ())
        for language in languages:
            evidence[language] += 1 / len(languages)
    first, second = sorted(evidence, key=evidence.__getitem__, reverse=True)[:2]
    clear = evidence[first] >= max(_LEAST, _LEAD * evidence[second])
    return first if clear else None
