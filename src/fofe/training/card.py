"""The model card, filled in as training runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fofe.base.version import __version__
from fofe.training.checkpoint import Progress
from fofe.training.config import RunConfig, TrainingConfig
from fofe.training.corpora import Corpora


@dataclass(frozen=True)
class CardFacts:
    """What a card tells besides the configuration."""

    labels: list[str]
    parts: list[tuple[str, str, int, int]]
    """Each part of each corpus: what it is, its files, sentences and mentions."""
    command: str


def card_facts(corpora: Corpora, labels: list[str], command: str) -> CardFacts:
    """Count what the card tells."""
    parts = []
    for corpus in corpora.parts:
        prefix = f"{corpus.name}: " if len(corpora.parts) > 1 else ""
        config = corpus.config
        files = {
            "train": ", ".join(map(_name, config.train)),
            "dev": _name(config.dev),
            "test": _name(config.test),
        }
        for part, names in files.items():
            sentences = corpus.part(part)
            if sentences:
                mentions = sum(len(sentence.spans) for sentence in sentences)
                parts.append((f"{prefix}{part}", names, len(sentences), mentions))
    return CardFacts(labels, parts, command)


def write_card(config: RunConfig, facts: CardFacts, progress: Progress, test_line: str = "") -> str:
    """The card as Markdown."""
    best = progress.best
    model, training = config.model, config.training
    lines = [
        "# A fofe mention detector",
        "",
        f"Finds mentions of {', '.join(facts.labels[1:])} in text (language: {model.language}).",
        "",
        "```python",
        "import fofe",
        "",
        'model = fofe.load("PATH OF THIS DIRECTORY")',
        'print(model("...").mentions)',
        "```",
        "",
        "## Data",
        "",
        "| part | file | sentences | mentions |",
        "| --- | --- | ---: | ---: |",
    ]
    lines += [
        f"| {part} | {files} | {sentences} | {mentions} |" for part, files, sentences, mentions in facts.parts
    ]
    lines += ["", "## Scores", ""]
    if best is None:
        lines.append("Not evaluated yet.")
    else:
        lines.append(
            f"Dev (epoch {progress.best_epoch} of {training.epochs}): P {best.precision:.2f} "
            f"R {best.recall:.2f} F1 {best.f1:.2f}, with {best.strategy} at threshold {best.threshold}"
            f"{f' and agreement {best.agreement:g}' if best.agreement else ''}."
        )
        lines += [f"- {name}: dev F1 {f1:.2f}" for name, f1 in best.f1_by_corpus.items()]
    if test_line:
        lines.append(test_line)
    lines += [
        "",
        "## Training",
        "",
        f"- fragments of up to {model.max_words} words",
        f"- forgetting factor: {model.factor}",
        f"- views: {', '.join(f'{view.name} ({view.lookup}, {view.dimension})' for view in model.views)}",
        f"- hidden layers: {', '.join(map(str, model.hidden))}",
        *([f"- surroundings: by the view {model.surroundings}"] if model.surroundings else []),
        *([f"- conventions that it can follow: {', '.join(model.schemes)}"] if model.schemes else []),
        f"- optimiser: {training.optimiser}, batch {training.batch}, seed {training.seed}",
        *_teacher_lines(training),
        f"- epochs done: {progress.epoch}; CPU minutes: {progress.cpu_seconds / 60:.1f}",
        f"- fofe {__version__}; `{facts.command}`",
        "",
        "## Limits",
        "",
        "It has seen only the data above; expect less on other kinds of text. The terms of that data and of",
        f"the word vectors{' and of its teachers' if training.teachers else ''} apply to this model.",
        "",
    ]
    return "\n".join(lines)


def _teacher_lines(training: TrainingConfig) -> list[str]:
    if not training.teachers:
        return []
    return [f"- distilled from {', '.join(training.teachers)} (weight {training.distillation_weight:g})"]


def _name(path: str | None) -> str:
    return Path(path).name if path else "held out from train"
