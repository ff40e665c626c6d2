"""Fusing files: `.tab` files by document id, other predictions text by text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from fofe.base.errors import FofeError, InputError
from fofe.base.report import Report
from fofe.formats import read_corpus, write_corpus
from fofe.fusion.vote import Calibration, Rule, fuse
from fofe.kbp.tab import NIL, TabMention, by_document, is_tab, numbered, read_tab, write_tab
from fofe.text.document import Document, Mention


class Predictions(Protocol):
    """What several systems found in the same texts."""

    def systems(self) -> list[list[list[Mention]]]:
        """The mentions of each system in each text."""

    def write(self, fused: list[list[Mention]], path: str, report: Report) -> None:
        """Write the fused mentions of each text."""


def read_predictions(paths: Sequence[str], report: Report, *, run: str = "fused") -> Predictions:
    """The predictions of some files, either all `.tab` files or none."""
    kinds = {is_tab(path) for path in paths}
    if len(kinds) > 1:
        raise FofeError("some of the files are .tab files and others are not (convert them first)")
    return TabPredictions(paths, report, run) if kinds == {True} else CorpusPredictions(paths, report)


class TabPredictions:
    """The runs of `.tab` files; a document that a run does not name has no mentions there."""

    def __init__(self, paths: Sequence[str], report: Report, run: str) -> None:
        self._run = run
        self._runs = [by_document(read_tab(path, report)) for path in paths]
        self._documents = sorted({document for run in self._runs for document in run})

    def systems(self) -> list[list[list[Mention]]]:
        return [
            [[_as_mention(row) for row in run.get(document, ())] for document in self._documents]
            for run in self._runs
        ]

    def write(self, fused: list[list[Mention]], path: str, report: Report) -> None:  # noqa: ARG002
        rows: list[TabMention] = []
        for document, mentions in zip(self._documents, fused, strict=True):
            links = self._links(document)
            for mention in mentions:
                start, end, score = mention.start, mention.end, round(mention.score, 6)
                kb = links.get((start, end, mention.label), "")
                rows.append(
                    TabMention(
                        document, start, end, mention.text, mention.type, mention.kind, kb=kb, score=score
                    )
                )
        write_tab(numbered(rows, self._run), path)

    def _links(self, document: str) -> dict[tuple[int, int, str], str]:
        """The KB ids of a document's mentions, those of the first run that has one."""
        links: dict[tuple[int, int, str], str] = {}
        for run in self._runs:
            for row in run.get(document, ()):
                if row.kb and not row.kb.startswith(NIL):
                    links.setdefault((row.start, row.end, _as_mention(row).label), row.kb)
        return links


def _as_mention(row: TabMention) -> Mention:
    return Mention(row.start, row.end, row.type, row.kind, row.score, row.text)


class CorpusPredictions:
    """Predictions in a format of corpora: the same texts in the same order in every file."""

    def __init__(self, paths: Sequence[str], report: Report) -> None:
        self._corpora: list[list[Document]] = [list(read_corpus(path, None, report)) for path in paths]
        for path, other in zip(paths[1:], self._corpora[1:], strict=True):
            _check_same_texts(self._corpora[0], other, paths[0], path)

    def systems(self) -> list[list[list[Mention]]]:
        return [[document.mentions for document in corpus] for corpus in self._corpora]

    def write(self, fused: list[list[Mention]], path: str, report: Report) -> None:
        documents = (
            replace(document, mentions=mentions)
            for document, mentions in zip(self._corpora[0], fused, strict=True)
        )
        format = "jsonl" if path == "-" or not Path(path).suffix else None
        write_corpus(documents, path, format, report)


def _check_same_texts(
    first: Sequence[Document], other: Sequence[Document], first_path: str, path: str
) -> None:
    """Refuse predictions for other texts, or in another order."""
    remedy = "join what systems found in the same texts, in the same order"
    if len(first) != len(other):
        problem = f"has {len(other)} documents where {first_path} has {len(first)}"
        raise InputError(problem, path=path, remedy=remedy)
    for number, (one, two) in enumerate(zip(first, other, strict=True), start=1):
        if one.id and two.id and one.id != two.id:
            problem = f"document {number} is {two.id!r}, but {one.id!r} in {first_path}"
            raise InputError(problem, path=path, remedy=remedy)
        if one.text != two.text:
            problem = f"document {number} has another text than in {first_path}"
            raise InputError(problem, path=path, remedy=remedy)


def calibrate(gold: str, paths: Sequence[str], rule: Rule, report: Report) -> Calibration:
    """Learn from what the systems found in annotated texts."""
    true, *systems = read_predictions([gold, *paths], report).systems()
    return Calibration.learned(true, systems, rule)


def fuse_predictions(
    predictions: Predictions, rule: Rule, calibration: Calibration | None = None
) -> list[list[Mention]]:
    """The fused mentions of each text."""
    systems = predictions.systems()
    if calibration is not None:
        systems = calibration.applied(systems)
        rule = replace(rule, threshold=calibration.threshold)
    return [fuse(texts, rule) for texts in zip(*systems, strict=True)]
