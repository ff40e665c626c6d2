"""Entity discovery on documents and gold mentions: the systems of a language, their fusion, and the scores.

The track's own releases (kbp.py) and the open stand-in (trilingual.py) go through this code.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from _rivals import CRF_SCHEME, crf_features, trained_crf

from fofe.base.errors import InputError
from fofe.base.journal import Journal
from fofe.base.report import Report
from fofe.cli._io import TerminalCallback
from fofe.evaluate.bootstrap import Numbers, compare
from fofe.formats import read_corpus
from fofe.fusion import Predictions, Rule, learn
from fofe.kbp.convert import to_training
from fofe.kbp.entities import numbered
from fofe.kbp.score import Table, layout, score
from fofe.kbp.source import Reading, SourceDocument, read_all, source_files
from fofe.kbp.tab import TabMention, by_document, read_tab, write_tab
from fofe.kbp.tag import SourceTagging, mentions_in_source, tag_files
from fofe.model.ensemble import Ensemble, save_ensemble
from fofe.text.align import TokenSpan, characters_of
from fofe.text.document import Document, Mention, split_label
from fofe.training.annotation import LabelledSentence, labelled_sentences
from fofe.training.config import RunConfig
from fofe.training.run import MODEL, train

PARTS = ("train", "dev", "test")
WEIGHTED = Rule("weighted")
ROWS = {"RUN1": "ours", "CRF": "crf", "RUN3": "fused", "SEEDS": "seeds"}
"""The rows of the table and the files that they are read from."""
COMPARED = (("RUN3", "RUN1"), ("RUN3", "CRF"), ("SEEDS", "RUN1"))
METRIC_NAMES = {"RUN1": "single", "CRF": "crf", "RUN3": "fused", "SEEDS": "seeds"}


@dataclass(frozen=True)
class PartFiles:
    """Where one part of a language is written."""

    documents: Path
    gold: Path
    corpus: Path
    """The same as training data."""


def part_files(folder: Path, code: str, part: str) -> PartFiles:
    """The paths of a part."""
    name = f"{code}-{part}"
    return PartFiles(folder / name, folder / f"{name}-gold.tab", folder / f"{name}.jsonl")


def sources(files: PartFiles) -> list[SourceDocument]:
    """The documents of a part, read from what was written."""
    return list(read_all(source_files([str(files.documents)]), Reading(), Report(), []))


def train_ours(config: RunConfig, folder: Path, command: str) -> Path:
    """The directory of our model, trained now or before."""
    if not (folder / MODEL).exists():
        train(config, folder, TerminalCallback(sys.stderr), command=command, resume=True)
    return folder / MODEL


def train_seeds(config: RunConfig, folder: Path, code: str, command: str, seeds: int) -> list[Path]:
    """The directories of models of a language that differ in their seeds alone."""
    models = [train_ours(config, folder / f"{code}-model", command)]
    for number in range(1, seeds):
        training = replace(config.training, seed=config.training.seed + number)
        place = folder / f"{code}-seeds-{number + 1}"
        models.append(train_ours(replace(config, training=training), place, command))
    return models


def run_ours(code: str, model: Path, files: PartFiles, output: Path) -> Path:
    """Tag the raw documents of a part."""
    if not output.exists():
        how = SourceTagging({code: str(model)}, language=code)
        with Journal(output.with_suffix(".work"), how.fingerprint()) as journal:
            bad: list[InputError] = []
            documents = source_files([str(files.documents)])
            mentions, _ = tag_files(how, documents, journal, Report(), bad, run=output.stem)
            if bad:
                raise SystemExit("\n".join(map(str, bad)))
            write_tab(mentions, output)
            journal.remove()
    return output


class Crf:
    """sklearn-crfsuite with the usual features: the other system, trained on the same converted corpus.

    It tags flat, so of nested mentions it learns the outermost. Its confidence in a mention is the lowest of
    the marginal probabilities of its tags.
    """

    def __init__(self, corpus: Path, path: Path, iterations: int = 100) -> None:
        def sentences() -> list[LabelledSentence]:
            return labelled_sentences(read_corpus(corpus, "jsonl", Report()), Report())

        self._model = trained_crf(path, sentences, iterations)

    def run(self, files: PartFiles, output: Path) -> Path:
        """Tag the raw documents of a part; the authors of posts are names, as in our runs."""
        if not output.exists():
            rows = []
            for source in sources(files):
                rows += mentions_in_source(source, self._mentions(to_training(source, [], Report())))
            write_tab(numbered(rows, output.stem), output)
        return output

    def _mentions(self, document: Document) -> list[Mention]:
        marginals = self._model.predict_marginals(
            [crf_features(sentence.words) for sentence in document.sentences]
        )
        found = []
        for number, rows in enumerate(marginals):
            tags = [max(row, key=row.__getitem__) for row in rows]
            for start, end, label in CRF_SCHEME.decode(tags)[0]:
                score = min(row[tag] for row, tag in zip(rows[start:end], tags[start:end], strict=True))
                place = characters_of(document, TokenSpan(number, start, end))
                found.append(Mention(*place, *split_label(label), score))
        return found


def run_systems(
    code: str, folder: Path, config: RunConfig, command: str, *, seeds: int = 1, iterations: int = 100
) -> None:
    """Train the systems of a language on its parts, which are there, and tag with them.

    All our models and the CRF are fused. Without `iterations` there is no CRF and nothing is fused.
    """
    train_part, *parts = (part_files(folder, code, part) for part in PARTS)
    models = train_seeds(config, folder, code, command, seeds)
    runs: dict[str, list[Path]] = {"dev": [], "test": []}
    for number, model in enumerate(models, start=1):
        name = "ours" if number == 1 else f"ours-{number}"
        for part, files in zip(runs, parts, strict=True):
            runs[part].append(run_ours(code, model, files, folder / f"{code}-{part}-{name}.tab"))
    if iterations:
        crf = Crf(train_part.corpus, folder / f"{code}-crf.pickle", iterations)
        for part, files in zip(runs, parts, strict=True):
            runs[part].append(crf.run(files, folder / f"{code}-{part}-crf.tab"))
        fuse_runs(runs["test"], folder / f"{code}-test-fused.tab", [parts[0].gold, *runs["dev"]])
    if seeds > 1:
        ensemble = folder / f"{code}-seeds" / MODEL
        if not ensemble.exists():
            save_ensemble(Ensemble.of(models), ensemble)
        run_ours(code, ensemble, parts[1], folder / f"{code}-test-seeds.tab")


def fuse_runs(runs: Sequence[Path], output: Path, dev: Sequence[Path]) -> None:
    """Join runs by weighted votes, learned from dev runs, which follow their gold."""
    report = Report()
    gold, *systems = Predictions(list(map(str, dev)), report).systems()
    confidences, rule = learn(gold, systems, WEIGHTED)
    print(f"{output.name}: threshold {rule.threshold}, weights {rule.weights}")
    predictions = Predictions([str(run) for run in runs], report)
    predictions.write(predictions.fused(rule, confidences), str(output), report, run=output.stem)


def print_scores(folder: Path, codes: Sequence[str]) -> dict[str, Any]:
    """Print the table of each row and the comparisons of rows; returns what is recorded."""
    gold = _all(folder, codes, "gold")
    rows = [
        row
        for row, name in ROWS.items()
        if all((folder / f"{one}-test-{name}.tab").exists() for one in codes)
    ]
    runs = {row: _all(folder, codes, ROWS[row]) for row in rows}
    write_tab(gold, folder / "gold.tab")
    tables = {row: score(gold, mentions) for row, mentions in runs.items()}
    for row, mentions in runs.items():
        write_tab(numbered(mentions, row), folder / f"{row}.tab")
        print(f"\n{row}\n{layout(tables[row])}")
    documents = sorted(one.id for code in codes for one in sources(part_files(folder, code, "test")))
    counts = {row: _counts_by_document(gold, mentions, documents) for row, mentions in runs.items()}
    gains = {
        (row, base): compare(counts[base], counts[row])["f1"]
        for row, base in COMPARED
        if row in counts and base in counts
    }
    print()
    for (row, base), gain in gains.items():
        interval = f"95 % interval {gain['low']:+.2f} to {gain['high']:+.2f}"
        print(f"ALL OVERALL F1, {row} over {base}: {gain['difference']:+.2f} ({interval}, p {gain['p']:.4f})")
    return _metrics(tables, gains)


def _all(folder: Path, codes: Sequence[str], name: str) -> list[TabMention]:
    return [row for code in codes for row in read_tab(folder / f"{code}-test-{name}.tab", Report())]


def _counts_by_document(gold: list[TabMention], run: list[TabMention], documents: list[str]) -> Numbers:
    """Right, wrong and missed mentions of each document, kinds left out: shape (documents, 3)."""
    true, guess = by_document(gold), by_document(run)
    scores = (score(true.get(one, []), guess.get(one, []))["ALL"]["OVERALL"] for one in documents)
    return np.array([(counts.tp, counts.fp, counts.fn) for counts in scores], np.int64)


def _metrics(
    tables: Mapping[str, Table], gains: Mapping[tuple[str, str], Mapping[str, float]]
) -> dict[str, Any]:
    metrics: dict[str, Any] = {
        f"{METRIC_NAMES[row]}_overall_f1": round(table["ALL"]["OVERALL"].f1, 2)
        for row, table in tables.items()
    }
    if "RUN3" in tables:
        best = max("RUN1", "CRF", key=lambda row: tables[row]["ALL"]["OVERALL"].f1)
        gain = gains["RUN3", best]
        metrics["fusion_gain"] = round(gain["difference"], 2)
        metrics |= {f"fusion_gain_{end}": round(gain[end], 2) for end in ("low", "high")}
    for row, table in tables.items():
        metrics |= table_metrics(METRIC_NAMES[row], table)
    return metrics


def table_metrics(system: str, table: Table) -> dict[str, float]:
    """Precision, recall and F1 of a system by language and group, as far as the gold has such mentions."""
    metrics = {}
    for language, groups in table.items():
        for group, counts in groups.items():
            name = f"{system}_{language}_{group}".lower()
            if counts.tp + counts.fn:
                metrics[f"{name}_p"] = round(counts.precision, 2)
                metrics[f"{name}_r"] = round(counts.recall, 2)
                metrics[f"{name}_f1"] = round(counts.f1, 2)
    return metrics
