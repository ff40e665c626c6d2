"""What commands read and print: corpora, results, messages, and bars for those who watch a terminal."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TextIO

from fofe.base.errors import FofeError, InputError
from fofe.base.files import STANDARD, display_name
from fofe.base.report import Report
from fofe.cli._options import reading_options
from fofe.evaluate.tables import Section
from fofe.formats import brat, corpus_files, read_corpus
from fofe.text.document import Document
from fofe.training.callback import Callback

if TYPE_CHECKING:
    from fofe.tagging.model import Model

STANDARD_INPUT = 0
"""Its file descriptor."""


def read_documents(path: str, args: argparse.Namespace, language: str | None = None) -> list[Document]:
    """Read a corpus into memory; what the reader mended or dropped goes to standard error.

    Text without tokens is tokenised by --lang, else by `language`, else left as it is.
    """
    report = Report()
    options = {"language": language, **reading_options(args)}
    documents = list(read_corpus(path, args.format, report, **options))
    say_report(report, path)
    if not documents:
        raise no_document(path)
    return documents


def predictions(args: argparse.Namespace, path: str) -> tuple[Model, list[Document], list[Document]]:
    """The model in the labels of a corpus (--as, --map), the corpus, and what is found in its tokens.

    Labels that only one side has are told, with the options that make them comparable.
    """
    from fofe.evaluate.corpus_labels import fitting_corpora, given_scheme, predict, trained_scheme
    from fofe.tagging.installed import model_path
    from fofe.tagging.model import load

    if args.scheme and args.map:
        raise FofeError("give either --as or --map")
    model = load(model_path(args.model))
    gold = read_documents(path, args, model.config.language)
    report = Report()
    scheme = None
    if args.scheme:
        scheme = trained_scheme(model, args.scheme)
    elif args.map:
        scheme = given_scheme(args.map, gold, model.labels[1:], report)  # without NONE
    gold, predicted = predict(model, gold, report, scheme, heads=getattr(args, "heads", False))
    say_report(report, path)
    if scheme:
        return scheme.applied_to(model), gold, predicted
    if report:
        options = ["--map LABEL=LABEL,... to say which labels of the model one here stands for"]
        if corpora := fitting_corpora(model, gold, predicted):
            options.insert(0, f"--as {' or '.join(corpora)} to score by the labels of that training corpus")
        say(f"{path}: these count as errors; give {'; or '.join(options)}")
    return model, gold, predicted


def no_document(path: str) -> InputError:
    """The error of an empty corpus: a score of nothing would pass for a bad one."""
    remedy = "give a corpus of at least one"
    if Path(path).is_dir():
        remedy = "of a directory only the files right in it are read: give a pattern such as 'DIR/**/*.jsonl'"
    return InputError("holds no document", path=display_name(path), remedy=remedy)


def refuse_input(
    output: str,
    inputs: Iterable[str | Path | None],
    *,
    what: str = "input",
    remedy: str = "choose another name",
) -> None:
    """Refuse to overwrite an input, which would be lost; `inputs` is looked at only if `output` exists.

    None stands for an input that was not given. A device or a pipe, such as /dev/null, is never replaced: it
    may be both.
    """
    if output == STANDARD or not (os.path.isfile(output) or os.path.isdir(output)):
        return
    for path in inputs:
        file = STANDARD_INPUT if str(path) == STANDARD else path
        if file is not None and os.path.exists(file) and os.path.samefile(file, output):
            raise InputError(f"is the {what} itself", path=output, remedy=remedy)


def check_suffix(path: str, *suffixes: str) -> None:
    """Refuse to write over a file of another kind: text, say, that a page would replace."""
    if os.path.isfile(path) and Path(path).suffix.lower() not in suffixes:
        remedy = f"give the name of a {suffixes[0]} file"
        raise InputError("is there, and is no such file by its suffix", path=path, remedy=remedy)


def refuse_corpus(output: str, corpora: Iterable[str], format: str | None) -> None:
    """Refuse to overwrite a file of some corpora, which may be directories and patterns."""
    files = (file for path in corpora for file in corpus_files(path, format, Report()))
    refuse_input(output, (path for file in files for path in files_read(*file)))


def files_read(path: str | Path, format: str) -> Iterator[str | Path]:
    """The path of a corpus and, for brat, the pairs of files that it stands for."""
    yield path
    if format == "brat":
        folder, suffixes = Path(path), (brat.TEXT_SUFFIX, brat.ANNOTATION_SUFFIX)
        files = folder.rglob("*") if folder.is_dir() else map(folder.with_suffix, suffixes)
        yield from (file for file in files if file.suffix in suffixes)


def print_result(args: argparse.Namespace, text: str, data: object) -> None:
    """Print a result: the data with --json, in which `Counts` become objects, else the text.

    Lone surrogates, which UTF-8 cannot encode, are escaped; JSON has the same escapes.
    """
    shown = text
    if args.json:
        shown = json.dumps(data, ensure_ascii=False, indent=2, default=lambda counts: counts.as_dict())
    print(shown.encode(errors="backslashreplace").decode())


def print_sections(args: argparse.Namespace, sections: Sequence[Section]) -> None:
    """Print a result that has several parts."""
    text = "\n\n".join(section.text for section in sections)
    print_result(args, text, {section.name: section.data for section in sections})


def say(line: str) -> None:
    """Print a message to standard error."""
    print(f"fofe: {line}", file=sys.stderr, flush=True)


def say_report(report: Report, path: str | None = None) -> None:
    """Print what was changed or skipped, with counts, to standard error."""
    for line in report.lines():
        say(line if path is None else f"{path}: {line}")


@contextmanager
def resumable(how: str) -> Iterator[None]:
    """Say, if the user interrupts what is done inside, how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(how) from None


class Bar:
    """A bar on a terminal, or nothing at all; messages appear above it."""

    def __init__(self, stream: TextIO | None = None, *, shown: bool = True, **settings: Any) -> None:
        stream = stream or sys.stderr
        self._bar: Any = None
        if shown and stream.isatty():
            from tqdm import tqdm

            # A terminal in a container may have no size, and tqdm would then draw nothing.
            width, height = get_terminal_size()
            self._bar = tqdm(leave=False, file=stream, ncols=width, nrows=height, **settings)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, done: int, note: str = "") -> None:
        """Advance by so much, with a note behind the bar."""
        if self._bar is not None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(done)

    def reach(self, what: str, done: int) -> None:
        """Show how far a phase of the work has come; each phase starts from 0."""
        if self._bar is not None:
            if self._bar.desc != f"{what}: ":
                self._bar.reset()
                self._bar.set_description(what)
            self._bar.update(done - self._bar.n)

    def say(self, line: str) -> None:
        """Print a message, above the bar if there is one."""
        if self._bar is None:
            say(line)
        else:
            self._bar.write(f"fofe: {line}", file=sys.stderr)


class TerminalCallback(Callback):
    """Shows the progress of training: a bar during an epoch, a line after it; in a pipe only the lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bar = Bar(shown=False)
        self._smooth: float | None = None
        self._dev = ""

    def begin_epoch(self, epoch: int, epochs: int, batches: int) -> None:
        self._bar = Bar(self._stream, total=batches, desc=f"epoch {epoch}/{epochs}", unit="batch")

    def step(self, loss: float) -> None:
        self._smooth = loss if self._smooth is None else 0.95 * self._smooth + 0.05 * loss
        self._bar.update(1, f"loss {self._smooth:.4f}{self._dev}")

    def end_epoch(self, metrics: dict[str, Any]) -> None:
        self.close()
        parts = [f"epoch {metrics['epoch']}", f"loss {metrics['loss']:.4f}"]
        if "dev_f1" in metrics:
            precision, recall, f1 = (metrics[f"dev_{name}"] for name in ("precision", "recall", "f1"))
            self._dev = f", dev F1 {f1:.2f}"
            decoding = f"{metrics['strategy']}, {metrics['threshold']}"
            if metrics.get("agreement"):
                decoding += f", agreement {metrics['agreement']:g}"
            parts.append(f"dev P {precision:.2f} R {recall:.2f} F1 {f1:.2f} ({decoding})")
        self.say("  ".join([*parts, f"{metrics['cpu_minutes']:.1f} CPU min"]))

    def say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.__exit__()


@contextmanager
def training(*, resume: bool) -> Iterator[tuple[TerminalCallback, str]]:
    """What shows the progress of a training, and the command, which also resumes it if interrupted."""
    command = shlex.join(["fofe", *sys.argv[1:]])
    with (
        resumable(f"go on with: {command if resume else f'{command} --resume'}"),
        closing(TerminalCallback(sys.stderr)) as callback,
    ):
        yield callback, command
