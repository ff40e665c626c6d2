"""Releases of the track as the LDC ships them: documents in every layout, gold .tab files, file lists."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from _discovery import PartFiles, part_files

from fofe.base.errors import FofeError, InputError
from fofe.base.files import read_text
from fofe.base.report import Report
from fofe.formats import jsonl
from fofe.kbp.convert import KEPT_MENTIONS, MENTIONS, to_training
from fofe.kbp.source import CHINESE, ENGLISH, SPANISH, Reading, name_of_file, read_all, source_files
from fofe.kbp.tab import SUFFIX, WIDTH, TabMention, read_tab, write_tab
from fofe.kbp.tag import TYPES

LANGUAGES = (ENGLISH, CHINESE, SPANISH)
HELD_OUT = 0.05
"""The share of the training documents in each of the dev and the test part: 90:5:5."""


@dataclass(frozen=True)
class Release:
    """The annotated documents of a release."""

    files: dict[str, dict[str, Path]]
    """By language and id."""
    gold: list[TabMention]
    evaluation: frozenset[str]
    """The ids of documents whose gold file is that of an evaluation, by its name or its directory."""

    def ids(self, code: str, *, evaluation: bool) -> list[str]:
        """The documents of a language, of the evaluation or of training."""
        return [id for id in self.files.get(code, {}) if (id in self.evaluation) == evaluation]


def read_release(folder: Path) -> Release:
    """The documents that gold files name, and those that a list of annotated documents adds."""
    report, bad = Report(), list[InputError]()
    golds = {path: read_tab(path, report) for path in sorted(folder.rglob(f"*{SUFFIX}")) if _is_gold(path)}
    if not golds:
        raise FofeError(f"{folder}: there is no .tab file of gold mentions (give an unpacked release)")
    gold = [mention for mentions in golds.values() for mention in mentions if mention.type in TYPES]
    annotated = {mention.document for mention in gold}
    files = source_files([str(folder)], report)
    annotated |= _listed(folder, annotated, {name_of_file(file) for file in files})
    named = [file for file in files if name_of_file(file) in annotated]
    found: dict[str, dict[str, Path]] = {code: {} for code in LANGUAGES}
    for document in read_all(named or files, Reading(), report, bad):
        if document.id in annotated and (language := document.language()) in found:
            found[language][document.id] = Path(document.path)
    evaluation = (rows for path, rows in golds.items() if "eval" in str(path.relative_to(folder)).lower())
    _say(folder.name, report, bad)
    ids = frozenset(mention.document for rows in evaluation for mention in rows)
    return Release({code: files for code, files in found.items() if files}, gold, ids)


def _is_gold(path: Path) -> bool:
    """Whether a .tab file has mentions, not quote regions or something else."""
    first = next((line for line in read_text(path).splitlines() if line.strip()), "")
    return first.count("\t") + 1 >= WIDTH


def _listed(folder: Path, gold: set[str], known: set[str]) -> set[str]:
    """The ids of file lists, some of which have no mention; not of lists of a whole collection."""
    listed: set[str] = set()
    for path in folder.rglob("*"):
        if path.suffix.lower() in (".txt", ".lst", ".list") and path.is_file():
            lines = path.read_text("utf-8", "replace").split("\n")
            names = {name_of_file(Path(line.strip())) for line in lines if line.strip()}
            if names <= known and 2 * len(names & gold) >= len(names):
                listed |= names
    return listed


def split(ids: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
    """Documents for training, dev and test in a ratio of 90:5:5, the same each time."""
    shuffled = sorted(ids)
    random.Random(0).shuffle(shuffled)
    count = max(1, round(HELD_OUT * len(shuffled)))
    return shuffled[2 * count :], shuffled[:count], shuffled[count : 2 * count]


def write_part(folder: Path, code: str, part: str, release: Release, ids: Sequence[str]) -> PartFiles:
    """Write some documents of a release as one part, with links to their files; done once."""
    files = part_files(folder, code, part)
    if files.corpus.exists():
        return files
    files.documents.mkdir(parents=True, exist_ok=True)
    wanted, report = set(ids), Report()
    for id in ids:
        link = files.documents / f"{id}.xml"
        link.unlink(missing_ok=True)
        link.symlink_to(release.files[code][id].resolve())
    gold = [mention for mention in release.gold if mention.document in wanted]
    write_tab(gold, files.gold)
    sources = read_all(source_files([str(files.documents)]), Reading(), report, [])
    documents = [
        to_training(source, [one for one in gold if one.document == source.id], report) for source in sources
    ]
    jsonl.write(documents, files.corpus, report)
    kept, count = report.totals[KEPT_MENTIONS], report.totals[MENTIONS]
    print(f"{files.corpus.name}: {len(documents)} documents, {kept} of {count} gold mentions kept")
    _say(files.corpus.name, report)
    return files


def _say(name: str, report: Report, bad: Iterable[InputError] = ()) -> None:
    for line in [*report.lines(), *map(str, bad)]:
        print(f"{name}: {line}")
