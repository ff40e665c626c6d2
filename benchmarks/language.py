"""How often the language of a sentence is recognised, in message catalogues that the detector has not seen.

python benchmarks/language.py [FOLDER...]

The catalogues are those of the system's programs, PostgreSQL aside, and with folders those in them instead. A
sentence is a message of eight words or more, in Chinese of sixteen characters. The originals are English.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from _catalogues import CODES, SYSTEM, files, is_of_postgresql, is_sentence, messages
from _record import as_command, record

from fofe.text.detect import recognise

LANGUAGES = ("en", "es", "zh", "fr", "de", "it", "pt")
LEAST = 500
"""The least number of sentences of a language that says something."""


def main() -> None:
    """Measure the share of sentences whose language is recognised, by language."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, help="other catalogues; nothing is recorded")
    given = parser.parse_args().folders
    folders = given or [SYSTEM]
    sentences: dict[str, set[str]] = {language: set() for language in LANGUAGES}
    for language in CODES.keys() & sentences.keys():
        for file in files(folders, language):
            for english, translated in () if is_of_postgresql(file) else messages(file):
                sentences["en"].add(english)
                sentences[language].add(translated)
    metrics: dict[str, float] = {}
    for language, found in sentences.items():
        # A message that others have as it is was not translated.
        own = found if language == "en" else found - sentences["en"]
        answers = Counter(recognise(sentence) for sentence in filter(is_sentence, own))
        if answers.total() < (1 if given else LEAST):
            place = ", ".join(map(str, folders))
            raise SystemExit(
                f"skipped: {answers.total()} sentences in {language!r} under {place} are too few (install "
                "programs with their translations, such as git, coreutils, binutils, gnupg and gtk)"
            )
        share = 100 * answers[language] / answers.total()
        print(f"{language}: {share:.2f} % of {answers.total()} sentences; {dict(answers.most_common(4))}")
        metrics[f"{language}_accuracy"] = round(share, 2)
        metrics["sentences"] = metrics.get("sentences", 0) + answers.total()
    if not given:
        record("language", metrics, "python benchmarks/language.py")


if __name__ == "__main__":
    as_command(main)
