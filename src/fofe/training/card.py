"""The model card, filled in as training runs."""

from collections.abc import Iterator
from pathlib import Path

from fofe.base.report import counted
from fofe.base.version import __version__
from fofe.training.checkpoint import Progress
from fofe.training.config import RunConfig
from fofe.training.corpora import Corpora

PLACE_OF_MODEL = "PATH OF THIS DIRECTORY"
"""What stands in the card of a model for its directory."""

CARD = """\
# A fofe mention detector

Finds mentions of {labels} in text (language: {language}).

```python
import fofe

model = fofe.load("PATH OF THIS DIRECTORY")
print(model("...").mentions)
```

## Data

| part | file | sentences | mentions |
| --- | --- | ---: | ---: |
{data}

## Scores

{scores}

## Training

{training}

## Limits

It has seen only the data above; expect less on other kinds of text. The terms of that data and of
the word vectors{teachers} apply to this model.
"""


def write_card(
    config: RunConfig, corpora: Corpora, labels: list[str], progress: Progress, command: str, test_line: str
) -> str:
    """The card as Markdown."""
    model, training = config.model, config.training
    teachers = f"distilled from {', '.join(training.teachers)} (weight {training.distillation_weight:g})"
    facts = [
        f"fragments of up to {counted(model.max_words, 'words')}",
        f"forgetting factor: {model.factor}",
        f"views: {', '.join(f'{view.name} ({view.lookup}, {view.dimension})' for view in model.views)}",
        f"hidden layers: {', '.join(map(str, model.hidden))}",
        f"surroundings: by the view {model.surroundings}" if model.surroundings else "",
        f"annotation schemes: {', '.join(model.schemes)}" if model.schemes else "",
        f"optimiser: {training.optimiser}, batch {training.batch}, seed {training.seed}",
        teachers if training.teachers else "",
        f"epochs done: {progress.epoch}; CPU minutes: {progress.cpu_seconds / 60:.1f}",
        f"fofe {__version__}; `{command}`",
    ]
    return CARD.format(
        labels=", ".join(labels[1:]),
        language=model.language,
        data="\n".join(_data_rows(corpora)),
        scores="\n".join(filter(None, [*_score_lines(progress, training.epochs), test_line])),
        training="\n".join(f"- {fact}" for fact in facts if fact),
        teachers=" and of its teachers" if training.teachers else "",
    )


def _data_rows(corpora: Corpora) -> Iterator[str]:
    for corpus in corpora.parts:
        prefix, config = f"{corpus.name}: " if len(corpora.parts) > 1 else "", corpus.config
        for part, paths in (("train", config.train), ("dev", (config.dev,)), ("test", (config.test,))):
            if sentences := corpus.part(part):
                files = ", ".join(Path(path).name if path else "held out from train" for path in paths)
                mentions = sum(len(sentence.spans) for sentence in sentences)
                yield f"| {prefix}{part} | {files} | {len(sentences)} | {mentions} |"


def _score_lines(progress: Progress, epochs: int) -> list[str]:
    best = progress.best
    if best is None:
        return ["Not evaluated yet."]
    return [
        f"Dev (epoch {progress.best_epoch} of {epochs}): P {best.precision:.2f} "
        f"R {best.recall:.2f} F1 {best.f1:.2f}, with {best.strategy} at threshold {best.threshold}"
        f"{f' and agreement {best.agreement:g}' if best.agreement else ''}.",
        *(f"- {name}: dev F1 {f1:.2f}" for name, f1 in best.f1_by_corpus.items()),
    ]
