"""The model card of a shipped model: its README.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from _recipe import Recipe

from fofe import __version__
from fofe.evaluate.cost import Cost
from fofe.model.storage import StoredModel
from fofe.text.document import NOMINAL, split_label

Scores = Mapping[str, Mapping[str, float]]
"""By corpus, in percent: precision, recall and f1 on its documents; sentences_f1, with each sentence as a
document; names_f1 and nominals_f1 if it has such mentions."""


@dataclass(frozen=True)
class Measured:
    """What was measured of a model before and after it was compressed."""

    before: Scores
    after: Scores
    cost_before: Cost
    cost_after: Cost

    @property
    def speed(self) -> int:
        """Tokens a CPU second of the compressed model, on its test sets."""
        return round(float(self.cost_after["corpus"]["tokens_per_second"]))


def mean_f1(scores: Scores, metric: str = "f1") -> float:
    """The mean over the test sets, so that a large one does not outweigh the others."""
    return fmean(of[metric] for of in scores.values())


def write_card(recipe: Recipe, model: StoredModel, measured: Measured) -> str:
    """The card as Markdown."""
    types = dict.fromkeys(split_label(label)[0] for label in model.labels[1:])
    kinds = {split_label(label)[1] for label in model.labels[1:]}
    what = "names and nominals" if NOMINAL in kinds else "names"
    lines = [
        f"# fofe-{recipe.name}: {recipe.title}",
        "",
        f"Finds {what} of {', '.join(types)} in text (language: {model.config.language}).",
        "",
        "```console",
        f"$ pip install . ./models/{recipe.name}",
        f'$ fofe tag -m {recipe.name} -t "{recipe.example}"',
        "```",
        "",
        "```python",
        "import fofe",
        "",
        f'model = fofe.load("{recipe.name}")',
        f'print(model("{recipe.example}").mentions)',
        "```",
        "",
        *_convention_lines(recipe, model.config.schemes),
        "## Data and its terms",
        "",
        "| made from | what it is | terms |",
        "| --- | --- | --- |",
        *(f"| {source.name} | {source.what} | {source.terms} |" for source in recipe.data),
        "",
        f"The licence follows from these: **{recipe.licence.short}**. See LICENSE and ATTRIBUTION.md.",
        "",
        "## Scores",
        "",
        *_score_lines(recipe, measured),
        "",
        "## Size and speed",
        "",
        *_cost_lines(recipe, measured),
        "",
        "## Training",
        "",
        *_training_lines(recipe, model.training),
        "",
        "## Limits",
        "",
        *(f"- {limit}" for limit in recipe.limits),
        "",
        "## Build it again",
        "",
        "With the corpora and the word vectors of the configuration beside the project:",
        "",
        "```bash",
        *(recipe.teachers.runs.values() if recipe.teachers else ()),
        f"python models/build.py models/recipes/{Path(recipe.path).name}",
        "```",
        "",
    ]
    return "\n".join(lines)


def write_attribution(recipe: Recipe) -> str:
    """What the model was made from, by whom, where to find it, on which terms, and what was changed."""
    lines = [f"# What fofe-{recipe.name} was made from", ""]
    for source in recipe.data:
        lines += [f"## {source.name}", "", f"{source.what[0].upper()}{source.what[1:]}.", ""]
        facts = {"By": source.authors, "At": source.address, "Terms": source.terms, "Changes": source.changes}
        lines += [*(f"- {key}: {value}" for key, value in facts.items() if value), ""]
    return "\n".join(lines)


def _convention_lines(recipe: Recipe, known: Sequence[str]) -> list[str]:
    """How to have mentions marked as one of the corpora marks them."""
    if not known:
        return []
    return [
        f"It can mark mentions as one of its corpora does ({', '.join(known)}), and nothing else:",
        "",
        "```console",
        f'$ fofe tag -m {recipe.name} --scheme {known[0]} -t "{recipe.example}"',
        "```",
        "",
    ]


def _or_nothing(scores: Mapping[str, float], name: str) -> str:
    """A score; nothing for a corpus that has no such mentions."""
    return f"{scores[name]:.2f}" if name in scores else ""


def _score_lines(recipe: Recipe, measured: Measured) -> list[str]:
    rows = [
        f"| {name} ({recipe.tests[name]}) | {of['precision']:.2f} | {of['recall']:.2f} | {of['f1']:.2f} "
        f"| {of['sentences_f1']:.2f} | {_or_nothing(of, 'names_f1')} | {_or_nothing(of, 'nominals_f1')} "
        f"| {measured.before[name]['f1']:.2f} |"
        for name, of in measured.after.items()
    ]
    lines = [
        "By exact span and type, in each corpus's own types, on documents as the corpus has them. A corpus "
        "without borders of documents is one document. In the column *by sentence*, each sentence is a "
        "document of its own.",
        "",
        "| corpus | precision | recall | F1 | F1 by sentence | F1 of names | F1 of nominals "
        "| F1 before compression |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        *rows,
        f"| mean | | | {mean_f1(measured.after):.2f} | {mean_f1(measured.after, 'sentences_f1'):.2f} | | "
        f"| {mean_f1(measured.before):.2f} |",
    ]
    tuned = [name for name, part in recipe.tests.items() if part == "dev"]
    if tuned:
        lines += [
            "",
            "Epoch, threshold and strategy were chosen on dev sets, so figures on these are a little kind: "
            f"{', '.join(tuned)}.",
        ]
    return lines


def _cost_lines(recipe: Recipe, measured: Measured) -> list[str]:
    before, after = measured.cost_before, measured.cost_after
    words = ", ".join(
        f"{count:,} of {before['words'][view]:,} ({view})" for view, count in after["words"].items()
    )
    return [
        f"- {after['megabytes']:.1f} MB, {before['megabytes']:.1f} MB before compression",
        f"- words with a vector: {words}",
        f"- word tables {recipe.compression.tables}, other weights {recipe.compression.weights}",
        f"- on one thread of the machine that built it: {measured.speed:,} tokens a CPU second, "
        f"{after['load_seconds']:.2f} CPU seconds to load",
    ]


def _training_lines(recipe: Recipe, training: Mapping[str, Any]) -> list[str]:
    return [
        f"- configuration: `configs/{Path(recipe.config).name}`, seed {recipe.seed}",
        f"- best epoch {training['best_epoch']} of {training['epochs']}",
        f"- {training['cpu_seconds'] / 60:.1f} CPU minutes",
        f"- dev F1 {training['dev']['f1']:.2f}",
        f"- fofe {__version__}",
    ]
