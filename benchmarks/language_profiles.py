"""Make the lists by which languages are told apart: src/fofe/text/detect.toml.

pip install --no-deps --target FOLDER PACKAGE...
python benchmarks/language_profiles.py FOLDER

Words are counted in message catalogues under the licences of Apache, BSD, MIT and PostgreSQL:
apache-superset, django-allauth, django-cms, django-filer, django-machina, django-oscar, djangorestframework,
flask-appbuilder, flask-security-too, indico, invenio-app-rdm, jupyterlab-language-pack-* (ca-ES, de-DE,
es-ES, fr-FR, it-IT, nl-NL, pt-BR), kolibri, spyder and wagtail, and of PostgreSQL among those of the system;
for English and Spanish also in speeches of the European Parliament. language.py measures none of them.
"""

from __future__ import annotations

import argparse
import lzma
import math
import textwrap
from collections import Counter
from collections.abc import Iterable
from heapq import nlargest
from itertools import islice
from pathlib import Path

from _catalogues import CODES, SYSTEM, files, is_of_postgresql, messages
from _record import ROOT, as_command, shared

from fofe.base.files import write_atomically
from fofe.text import detect

MOST = 3200
"""How many words and trigrams are listed: those that tell most about the language of a text."""
DAMPING = 0.85
"""The power of a word's count that its trigrams get, so that the words of a trade count less."""
LEAST_COUNT = 2
SPEECHES = 3000
SHARE = 0.25
"""What a word of a speech counts beside one of a catalogue, at most."""
LINE = 106


def main() -> None:
    """Count words and trigrams, and write those that tell most."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the packages are installed")
    folder = parser.parse_args().folder
    texts: dict[str, set[str]] = {"en": set()}
    for language in CODES:
        own = [*files([folder], language), *filter(is_of_postgresql, files([SYSTEM], language))]
        pairs = [pair for file in own for pair in messages(file)]
        texts["en"] |= {english for english, _ in pairs}
        texts[language] = {translated for _, translated in pairs}
    del texts["zh"]  # recognised by its characters
    bits = {language: _bits(_counts(language, of)) for language, of in texts.items()}
    features = sorted({feature for of in bits.values() for feature in of})
    listed = set(
        nlargest(MOST, features, key=lambda feature: _value([of.get(feature) for of in bits.values()]))
    )
    with write_atomically(ROOT / "src/fofe/text/detect.toml") as stream:
        stream.write("# Words and trigrams by language and by -log2 of their probability.\n")
        stream.write("# Made by benchmarks/language_profiles.py.\n")
        for language, of in bits.items():
            stream.write(f"\n[{language}]\n")
            for level in range(detect.RARE):
                if found := " ".join(sorted(one for one in listed & of.keys() if round(of[one]) == level)):
                    stream.write(f'{level} = """\n{textwrap.fill(found, LINE)}\n"""\n')


def _counts(language: str, texts: Iterable[str]) -> Counter[str]:
    """How often words are used."""
    counts = Counter(word for text in texts for word in detect.words_of(text.lower()))
    if language in ("en", "es"):
        with lzma.open(
            shared("corpora", f"europarl-sample.{language}.txt.xz"), "rt", encoding="utf-8"
        ) as lines:
            said = Counter(word for line in islice(lines, SPEECHES) for word in detect.words_of(line.lower()))
        share = SHARE * min(1, counts.total() / said.total())
        counts += Counter({word: round(share * count) for word, count in said.items()})
    return Counter({word: count for word, count in counts.items() if count >= LEAST_COUNT})


def _bits(counts: Counter[str]) -> dict[str, float]:
    """The words and trigrams of a language with -log2 of their probability among words or trigrams."""
    trigrams: dict[str, float] = {}
    words: dict[str, float] = {}
    for word, count in counts.items():
        for feature in detect.features(word):
            kind, weight = (trigrams, count**DAMPING) if len(feature) == 3 else (words, count)
            kind[feature] = kind.get(feature, 0) + weight
    return {
        feature: -math.log2(weight / total)
        for kind, total in ((trigrams, sum(trigrams.values())), (words, sum(words.values())))
        for feature, weight in kind.items()
    }


def _value(bits: list[float | None]) -> float:
    """How much a feature tells: by how much its probabilities differ, the more the more frequent it is."""
    known = [detect.RARE if one is None else min(one, detect.RARE) for one in bits]
    mean = sum(known) / len(known)
    return sum(2**-one * abs(one - mean) for one in known)


if __name__ == "__main__":
    as_command(main)
