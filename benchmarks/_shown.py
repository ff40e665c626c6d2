"""The paper's tables beside what is recorded here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mean
from typing import Any

from _paper_tables import BY_LANGUAGE, FEATURES, GROUPS, OFFICIAL, ROWS, STEPS, SYSTEMS, TRAINING_DATA, System
from _record import Entry, read_results
from _tables import Table

PRF = ("P", "R", "F1")
DEFAULT_ROW = len(ROWS) + 1
TRILINGUAL = "python benchmarks/trilingual.py --seed 1"

NOT_YET = "Not recorded here yet: {}"
FEATURE_DATA = (
    "The corpus is the paper's. The word vectors are not: the paper's come from Reuters RCV1, which is not "
    "free, those here from newswire of other years and Wikipedia. The paper trained for 128 epochs, as does "
    "the column 'in full'; rates and dropout end at the same values here after fewer epochs."
)
QUICKLY = "Training used AdamW and averaged weights; the paper, and the column 'in full', used plain SGD."
BESIDE = (
    "The first five rows are the paper's Table 2; Lample et al. and Ma and Hovy are added as published. "
    "Gazetteers here have titles of Wikipedia and names of the training text."
)
TRAINED_HERE = {
    "base": "a tenth of CoNLL-2003",
    "weak": "the same + Wikipedia",
    "second": "the same + LitBank",
}
"""What the models of the table on training data have learned from here."""
STAND_INS = (
    "The data differ, so the figures cannot be compared with the paper's: the track's documents are not "
    "free, and open corpora stand in for them here. English is LitBank (fiction), Chinese is Weibo "
    "(microblogs), both with names and nominals; Spanish is CoNLL-2002 (newswire), with names alone."
)
REPEATED = (
    "(a) As printed in the paper: there the row ALL of RUN3 has the names and nominals of RUN1, digit by "
    "digit, though the rows of the languages and the overall figures differ."
)
OTHERS = (
    "RUN3 here: RUN1, the same with other seeds and a CRF that learned from the same documents, fused by "
    "votes whose weights and confidences are learned on dev documents."
)
OVERALL = (
    "OVERALL leaves the kind out, as the track's scorer does: a name taken for a nominal is right there."
)
SYSTEM_NAMES = {"RUN1": "single", "RUN3": "fused"}
"""The runs of the paper and what they are called in the record."""
TRILINGUAL_SYSTEMS = {
    "single": "RUN1: our model",
    "crf": "CRF",
    "fused": "RUN3: our models and the CRF, fused",
    "seeds": "SEEDS: our models of several seeds, averaged",
    "folds": "FOLDS: our models of folds, voted",
}
"""What is recorded of the tri-lingual track, by its name in the record; older records have folds."""


def latest(benchmark: str) -> Mapping[str, Any] | None:
    """The metrics that were recorded last, means where there are several seeds."""
    found = [entry for entry in read_results() if entry["benchmark"] == benchmark]
    return {name: _mean(value) for name, value in metrics_of(found[-1]).items()} if found else None


def metrics_of(entry: Entry) -> Mapping[str, Any]:
    """The metrics of a record under their names today.

    GUM has no test set here: what older records of it call test are figures of the dev set.
    """
    metrics: Mapping[str, Any] = entry["metrics"]
    if entry["benchmark"] != "gum":
        return metrics
    return {re.sub("^test_", "dev_", name): value for name, value in metrics.items()}


def _mean(value: Any) -> Any:
    numbers = isinstance(value, list) and value and all(isinstance(one, (int, float)) for one in value)
    return mean(value) if numbers else value


def table1(metrics: Mapping[str, Any], options: str = "--quick") -> Table:
    """Feature combinations on CoNLL-2003; what is not recorded stays empty, with the options to record it."""
    rows = [
        [row.name, *_percent(row.paper, 2), *_recorded(metrics, f"row{number:02}")]
        for number, row in enumerate(ROWS, 1)
    ]
    default = _recorded(metrics, f"row{DEFAULT_ROW:02}")
    if any(default):
        rows.append(["configs/default.toml, its own epochs", "", "", "", *default])
    header = ["features", *_each("paper"), *_each("here")]
    if any("_full_" in name for name in metrics):
        header.append("here, in full, F1")
        for number, row in enumerate(rows, 1):
            row.append(_recorded(metrics, f"row{number:02}_full")[-1])
    epochs = f"; here {metrics['epochs']:g} epochs" if metrics else ""
    notes = [FEATURE_DATA, *([QUICKLY] if metrics.get("quick") else [])]
    notes += [] if metrics else [NOT_YET.format(f"python benchmarks/paper.py table1 {options}")]
    title = f"Features, CoNLL-2003, test (the paper's Table 1{epochs})"
    return Table(header, rows, title=title, notes=notes)


def steps(metrics: Mapping[str, Any]) -> Table:
    """What each part of the paper's recipe is worth; each row has the changes of all rows above it."""
    rows, before = [], None
    for step, described in STEPS.items():
        found = metrics.get(f"{step}_f1")
        gain = "" if found is None or before is None else f"{found - before:+.2f}"
        rows.append([described.name, "" if found is None else f"{found:.2f}", gain])
        before = before if described.only_here else found
    epochs = f"; {metrics['epochs']:g} epochs, one seed" if metrics else ""
    title = f"The recipe of configs/paper.toml, CoNLL-2003, test{epochs}"
    notes = [] if metrics else [NOT_YET.format("python benchmarks/paper.py steps")]
    return Table(["change", "F1", "gain"], rows, title=title, notes=notes)


def f1_only(table: Table) -> Table:
    """A table without its columns of precision and recall."""
    kept = [number for number, name in enumerate(table.header) if name.split()[-1] not in ("P", "R")]
    rows = [[row[number] for number in kept] for row in table.rows]
    return replace(table, header=[table.header[number] for number in kept], rows=rows)


def table2() -> Table:
    """Systems on CoNLL-2003."""
    rows = [
        [
            f"here, {system.name}" if system.is_here else system.name,
            *("x" if feature in system.features else "" for feature in FEATURES),
            f"{system.f1:.2f}",
        ]
        for system in known_systems()
    ]
    header = ["system", *FEATURES, "test F1"]
    title = "Systems, CoNLL-2003, test (the paper's Table 2)"
    return Table(header, rows, texts=range(1 + len(FEATURES)), title=title, notes=[BESIDE])


def known_systems() -> list[System]:
    """What others have published, and what is recorded here."""
    systems = list(SYSTEMS)
    plain = frozenset({"words", "characters"})
    for config in ("paper", "compact", "speed", "default"):
        if found := _test_f1(config):
            seeds = f"{len(found)} seed{'s' if len(found) > 1 else ''}"
            features = plain | {"gazetteer"} if config == "default" else plain
            systems.append(System(f"configs/{config}.toml ({seeds})", features, mean(found), is_here=True))
    best = latest("best")
    if best is not None:
        name = f"{best['fused_models']} models of configs/default.toml, fused"
        systems.append(System(name, plain | {"gazetteer"}, best["test_f1_fused"], is_here=True))
    return systems


def _test_f1(config: str) -> list[float]:
    """Test F1 on CoNLL-2003 of the models of a configuration, one for each seed.

    Table 1 has a model of configs/paper.toml, too: all features, trained in full.
    """
    benchmark = "conll2003" if config == "default" else f"conll2003_{config}"
    results = read_results()
    found = [entry["metrics"]["test_f1"] for entry in results if entry["benchmark"] == benchmark]
    if not found and config == "paper":
        full = f"row{len(ROWS):02}_full_f1"
        found = [[entry["metrics"][full]] for entry in results if full in entry["metrics"]]
    return found[-1] if found else []


def table3(metrics: Mapping[str, Any]) -> Table:
    """What more training data is worth, on open data; what is not recorded stays empty."""
    note = (
        "The data differ, so only the gains can be compared. The paper: English documents of KBP2016. Here: "
        "the test set of CoNLL-2003, with a tenth of its training sentences as the base; Wikipedia is "
        "labelled by its links."
    )
    notes = [note, *([] if metrics else [NOT_YET.format("python benchmarks/paper.py table3")])]
    return training_data(metrics, TRAINED_HERE, notes)


def training_data(metrics: Mapping[str, Any], here: Mapping[str, str], notes: Sequence[str] = ()) -> Table:
    """What more training data is worth; `here` says what the models of each row have learned from."""
    rows = [
        [name, *_percent(paper), here.get(row, ""), *_recorded(metrics, row)]
        for row, (name, paper) in TRAINING_DATA.items()
    ]
    header = ["paper", *PRF, "here", *PRF]
    texts = [header.index("paper"), header.index("here")]
    return Table(header, rows, texts=texts, title="Training data (the paper's Table 4)", notes=notes)


def table4(metrics: Mapping[str, Any]) -> list[Table]:
    """The tri-lingual tables on open data; what is not recorded stays empty."""
    notes = [STAND_INS, *([] if metrics else [NOT_YET.format(TRILINGUAL)])]
    tables = [by_language(metrics, notes), official_runs(metrics)]
    return [*tables, *([_systems_here(metrics)] if metrics else [])]


def by_language(metrics: Mapping[str, Any], notes: Sequence[str] = ()) -> Table:
    """Our single system beside the paper's and the best of the track, by language."""
    rows = [
        [name, *_percent(best), *_percent(paper), *_recorded(metrics, f"single_{code.lower()}_overall")]
        for code, (name, best, paper) in BY_LANGUAGE.items()
    ]
    header = ["language", *_each("2015 best"), *_each("paper"), *_each("here")]
    return Table(header, rows, title="By language (the paper's Table 3: KBP2015)", notes=notes)


def official_runs(metrics: Mapping[str, Any]) -> Table:
    """The paper's runs of 2016 beside ours, by language and group."""
    rows = [
        cells
        for run, by_code in OFFICIAL.items()
        for code, scores in by_code.items()
        for cells in _of_language(run, code, scores, metrics)
    ]
    header = ["run", "language", "", *(f"{group} {name}" for group in GROUPS for name in PRF)]
    title = "Names, nominals and both, single (RUN1) and fused (RUN3; the paper's Table 5: KBP2016)"
    return Table(header, rows, texts=range(3), title=title, notes=[REPEATED, OVERALL, OTHERS])


def systems_of(metrics: Mapping[str, Any]) -> dict[str, float]:
    """The overall F1 of the systems that a record of the tri-lingual track has."""
    names = {f"{name}_overall_f1": label for name, label in TRILINGUAL_SYSTEMS.items()}
    return {label: metrics[name] for name, label in names.items() if name in metrics}


def _systems_here(metrics: Mapping[str, Any]) -> Table:
    """All systems that were run on the stand-ins, and what fusion gains over the better of two."""
    rows = [[label, f"{f1:.2f}"] for label, f1 in systems_of(metrics).items()]
    gain, low, high = (metrics[f"fusion_gain{end}"] for end in ("", "_low", "_high"))
    note = f"Gain of fusion: {gain:+.2f}, 95 % interval {low:+.2f} to {high:+.2f}."
    return Table(["here, all languages", "OVERALL F1"], rows, notes=[note])


def _of_language(
    run: str, code: str, paper: Sequence[Sequence[float]], metrics: Mapping[str, Any]
) -> list[list[str]]:
    """The rows of a language: the paper's, and ours if there is one."""
    in_doubt = (run, code) == ("RUN3", "ALL")
    printed = [
        f"{value} (a)" if in_doubt and group != "OVERALL" else value
        for group, scores in zip(GROUPS, paper, strict=True)
        for value in _percent(scores)
    ]
    rows = [[run, code, "paper", *printed]]
    if metrics:
        system = f"{SYSTEM_NAMES[run]}_{code.lower()}"
        here = [value for group in GROUPS for value in _recorded(metrics, f"{system}_{group.lower()}")]
        rows.append([run, code, "here", *here])
    return rows


def _each(whose: str) -> list[str]:
    return [f"{whose} {name}" for name in PRF]


def _percent(scores: Sequence[float], digits: int = 1) -> list[str]:
    return [f"{value:.{digits}f}" for value in scores]


def _recorded(metrics: Mapping[str, Any], prefix: str) -> list[str]:
    """Precision, recall and F1 as far as they are recorded."""
    found = [metrics.get(f"{prefix}_{name.lower()}") for name in PRF]
    return ["" if value is None else f"{value:.2f}" for value in found]
