"""The model card, filled in as training runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fofe import __version__
from fofe.train.checkpoint import Progress
from fofe.train.config import RunConfig
from fofe.train.setup import Corpora


@dataclass(frozen=True)
class CardFacts:
    """What a card tells besides the configuration."""

    labels: list[str]
    sentences: tuple[int, int, int]
    """Of train, dev and test."""
    mentions: tuple[int, int, int]
    command: str


def card_facts(corpora: Corpora, labels: list[str], command: str) -> CardFacts:
    """Count what the card tells."""
    parts = (corpora.train, corpora.dev, corpora.test)
    sentences = (len(parts[0]), len(parts[1]), len(parts[2]))
    train, dev, test = (sum(len(sentence.spans) for sentence in part) for part in parts)
    return CardFacts(labels, sentences, (train, dev, test), command)


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
    files = (", ".join(map(_name, config.data.train)), _name(config.data.dev), _name(config.data.test))
    for part, file, sentences, mentions in zip(
        ("train", "dev", "test"), files, facts.sentences, facts.mentions, strict=True
    ):
        if sentences:
            lines.append(f"| {part} | {file} | {sentences} | {mentions} |")
    lines += ["", "## Scores", ""]
    if best is None:
        lines.append("Not evaluated yet.")
    else:
        lines.append(
            f"Dev (epoch {progress.best_epoch} of {training.epochs}): P {best.precision:.2f} "
            f"R {best.recall:.2f} F1 {best.f1:.2f}, with {best.strategy} at threshold {best.threshold}."
        )
    if test_line:
        lines.append(test_line)
    lines += [
        "",
        "## Training",
        "",
        f"- fragments of up to {model.max_words} words",
        f"- forgetting factors: {', '.join(map(str, model.factors))}",
        f"- views: {', '.join(f'{view.name} ({view.lookup}, {view.dimension})' for view in model.views)}",
        f"- hidden layers: {', '.join(map(str, model.hidden))}",
        f"- optimiser: {training.optimiser}, batch {training.batch}, seed {training.seed}",
        f"- epochs done: {progress.epoch}; CPU minutes: {progress.cpu_seconds / 60:.1f}",
        f"- fofe {__version__}; `{facts.command}`",
        "",
        "## Limits",
        "",
        "It has seen only the data above; expect less on other kinds of text. The terms of that data and of",
        "the word vectors apply to this model.",
        "",
    ]
    return "\n".join(lines)


def _name(path: str | None) -> str:
    return Path(path).name if path else "held out from train"
