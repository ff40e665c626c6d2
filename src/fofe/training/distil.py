"""Distillation over plain text: teachers label it, then a student learns from it and from its corpora."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from fofe.base.errors import ConfigError
from fofe.base.journal import Journal, stamp
from fofe.training.callback import Callback
from fofe.training.config import RunConfig
from fofe.training.corpora import read_corpora
from fofe.training.plain_text import LABELS, Labelling, PlainText, check_labels, label_text
from fofe.training.run import train


def distil(
    config: RunConfig,
    teachers: Sequence[str],
    sources: Sequence[Path],
    read: Callable[[Path], Iterable[str]],
    folder: str | Path,
    callback: Callback,
    *,
    command: str = "from Python",
    workers: int = 1,
    resume: bool = False,
) -> Path:
    """Distil teachers, given by their directories, into a student; returns the directory of its model.

    `read` gives the texts of a source. The directory of the run holds the labels in `labels/`.
    """
    if config.model.schemes:
        raise ConfigError("distillation does not know annotation schemes: drop model.schemes")
    if config.model.encoders:
        raise ConfigError("a student does without language models: drop its encoder views")
    labels = read_corpora(config).labels()
    check_labels(teachers, labels)
    job = Labelling(tuple(teachers), tuple(labels), config.model.max_words)
    weights = [[str(path), *stamp(path)] for teacher in teachers for path in sorted(Path(teacher).rglob("*"))]
    asked = [labels, job.max_words, config.model.language, weights]
    asked.append([[str(source), *stamp(source)] for source in sources])
    with Journal(Path(folder) / LABELS, asked, resume=resume) as journal:
        texts = (text for source in sources for text in read(source))
        label_text(job, texts, config.model.language, journal, workers, callback)
        plain_text = PlainText(journal)
        return train(config, folder, callback, command=command, resume=resume, plain_text=plain_text)
