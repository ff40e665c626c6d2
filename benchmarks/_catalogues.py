"""Sentences of message catalogues: translations of programs, in `LANGUAGE/LC_MESSAGES/*.mo`."""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

CODES = {
    "es": "es es_ES es_419",
    "zh": "zh_CN zh_Hans zh",
    "fr": "fr fr_FR",
    "de": "de de_DE",
    "it": "it it_IT",
    "pt": "pt_BR pt pt_PT",
    "ca": "ca ca_ES",
    "nl": "nl nl_NL",
}
"""The folders of each language."""
SYSTEM = Path("/usr/share/locale")
"""Where the catalogues of the system's programs are."""
_POSTGRESQL = ("pg", "postgres", "psql", "plpgsql", "libpq", "initdb", "ecpg", "plperl", "plpython", "pltcl")
LEAST_WORDS = 8
LEAST_HAN = 16
"""Characters of Chinese, whose words have about two."""
_WORD = re.compile(r"[^\w\s%<{$&@-]*[^\W\d_]+(['’-][^\W\d_]+)*[^\w\s]*")
_HAN = re.compile("[\u4e00-\u9fff]")


def files(folders: Iterable[Path], language: str) -> Iterator[Path]:
    """The catalogues of a language under some folders, in order."""
    for folder in folders:
        for code in CODES[language].split():
            yield from sorted(folder.glob(f"**/{code}/LC_MESSAGES/*.mo"))


def is_of_postgresql(file: Path) -> bool:
    """Whether a catalogue belongs to PostgreSQL, from which the detector has learned."""
    return file.name.startswith(_POSTGRESQL)


def messages(file: Path) -> Iterator[tuple[str, str]]:
    """The messages of a catalogue in English and in its language, each in one line."""
    with file.open("rb") as stream:
        try:
            read = gettext.GNUTranslations(stream)
        except (OSError, UnicodeError, ValueError):  # not in UTF-8, or damaged
            return
    known: dict[str | tuple[str, int], str] = vars(read)["_catalog"]
    for key, translated in known.items():
        english = (key if isinstance(key, str) else key[0]).rpartition("\x04")[2]
        if english and translated not in ("", english):
            yield " ".join(english.split()), " ".join(translated.split())


def is_sentence(text: str) -> bool:
    """Whether a message is a sentence of eight words at least, placeholders not counted."""
    if not text.endswith((".", "!", "?", "。", "！", "？")):
        return False
    if len(_HAN.findall(text)) >= LEAST_HAN:
        return True
    return text[0].isupper() and sum(map(bool, map(_WORD.fullmatch, text.split()))) >= LEAST_WORDS
