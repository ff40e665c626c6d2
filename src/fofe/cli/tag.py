"""`fofe tag`: mentions in text."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from fofe.cli import SOME_LEFT_OUT
from fofe.cli._arguments import count
from fofe.cli._outputs import files_read, refuse_input

if TYPE_CHECKING:
    from fofe.base.report import Report
    from fofe.cli._input_bar import InputBar
    from fofe.cli._show import Show
    from fofe.tagging.bulk import Tagged, TagJob
    from fofe.tagging.inputs import Piece

DESCRIPTION = """\
Find mentions. Input is plain text, a document a line (or the whole file with
--unit file), or a corpus (conll, jsonl, brat), whose own tokens are used.
Output is coloured text on a terminal and JSON lines in a pipe; into a file,
what its suffix says.

A document that cannot be read is told and left out, and the exit code is 1; a
file that is no UTF-8 text at all is refused before any work is done.
"""

EXAMPLES = """\
examples:
  fofe tag --text "Anna Berg met the mayor of Bergen."
  fofe tag news.txt > mentions.jsonl
  fofe tag --lang auto news.txt -f text
  fofe tag --unit file letters/*.txt -o mentions.jsonl
  echo "Leeds won." | fofe tag --format tsv
  fofe tag notes.txt --threshold 0.8 --alternatives 2
  fofe tag news.txt --conventions conll2003 -f text    (names alone, as in that corpus)
  fofe tag news.txt -o news.html
  fofe tag letters.txt --redact > letters.redacted.txt
  fofe tag --workers 4 big.jsonl -o mentions.jsonl
  fofe tag --model runs/tiny/model corpus.conll --format conll
  fofe tag --model runs/tiny/model articles.parquet --text-column body -o mentions.parquet
  fofe tag --model runs/tiny/model --engine spark big.parquet -o mentions.parquet
"""

FORMATS = ("text", "jsonl", "tsv", "conll", "html")

PARQUET = ".parquet"

BAD_TOLD = 5
"""How many bad documents of a file are told one by one; the rest is counted."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "tag",
        help="find mentions in text",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("inputs", nargs="*", metavar="FILE", help="files; - or nothing for stdin")
    parser.add_argument(
        "-m",
        "--model",
        metavar="MODEL",
        help="a model directory, or the name of an installed model (default: en)",
    )
    parser.add_argument(
        "--lang",
        metavar="L",
        help="take the installed model of this language; auto: that of each document's language",
    )
    parser.add_argument(
        "-t",
        "--text",
        action="append",
        metavar="TEXT",
        help="tag this text instead of files; may be repeated",
    )
    parser.add_argument(
        "--input",
        dest="source_format",
        choices=("text", "conll", "jsonl", "brat", "spacy", "label-studio", "doccano"),
        help="format of the input (default: by the file's suffix, else text)",
    )
    parser.add_argument(
        "--unit",
        choices=("line", "file"),
        default="line",
        help="what one plain-text document is (default: line)",
    )
    parser.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        help="format of the output (default: by the suffix of -o, else text on a terminal, jsonl elsewhere)",
    )
    parser.add_argument(
        "--redact", action="store_true", help="write the text with [LABEL] instead of each mention"
    )
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="where to write (default: stdout)"
    )
    parser.add_argument(
        "--offsets",
        choices=("codepoints", "utf16", "bytes"),
        default="codepoints",
        help="what offsets count, in jsonl and tsv (default: codepoints)",
    )
    parser.add_argument(
        "--workers",
        type=count,
        default=1,
        metavar="N",
        help="how many processes share the work (default: 1)",
    )
    parser.add_argument(
        "--engine",
        choices=("numpy", "torch", "spark"),
        default="numpy",
        help="NumPy, the network in PyTorch, or NumPy on the workers of Apache Spark (default: numpy)",
    )
    parser.add_argument(
        "--master",
        metavar="M",
        help="with --engine spark, its master: local[4], spark://HOST:PORT ... (default: local[*])",
    )
    parser.add_argument(
        "--text-column", default="text", metavar="C", help="the texts of parquet input (default: text)"
    )
    parser.add_argument(
        "--device",
        default="auto",
        metavar="D",
        help="with --engine torch, where it runs: cpu, cuda or auto (default: auto)",
    )
    parser.add_argument(
        "--strict", action="store_true", help="stop at the first document that cannot be read"
    )
    decoding = parser.add_argument_group("decoding (default: as tuned when the model was trained)")
    decoding.add_argument("--threshold", type=float, metavar="P", help="least score of a mention")
    decoding.add_argument(
        "--strategy",
        metavar="S",
        help="how overlaps are resolved: highest-first, longest-first, highest-first-by-word,"
        " longest-first-by-word, non-crossing",
    )
    decoding.add_argument(
        "--nested", action=argparse.BooleanOptionalAction, help="whether mentions may lie in one another"
    )
    decoding.add_argument(
        "--agreement",
        type=float,
        metavar="W",
        help="what the types of the same text in nearby sentences count beside a mention's own; 0: nothing",
    )
    decoding.add_argument(
        "--flat", action="store_true", help="of nested mentions, tell only those that lie in no other"
    )
    decoding.add_argument(
        "--recall", action="store_true", help="take the best type even where NONE is more likely"
    )
    decoding.add_argument(
        "--exact", action="store_true", help="judge every fragment, also those that the gate turns away"
    )
    decoding.add_argument(
        "--conventions",
        metavar="CORPUS",
        help="mark mentions as this training corpus of the model does; fofe inspect lists those it knows",
    )
    decoding.add_argument(
        "--alternatives", type=int, default=0, metavar="N", help="also tell the N next best labels"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Tag, and write as it goes."""
    from fofe.base.files import STANDARD, open_output
    from fofe.base.report import Report
    from fofe.cli._input_bar import InputBar
    from fofe.cli._show import Show

    parquet = any(path.endswith(PARQUET) for path in (*args.inputs, args.output))
    _check_effect(args, parquet=parquet)
    if parquet:
        return _tag_parquet(args)
    report = Report()
    waiting, size = _input(args, report)
    on_terminal = args.output == STANDARD and sys.stdout.isatty()
    format = _format(args, on_terminal=on_terminal)
    first_two = list(islice(waiting, 2)) if format == "conll" else []
    colour = on_terminal and "NO_COLOR" not in os.environ
    job = _job(args, Show(format, args.offsets, colour, alone=len(first_two) == 1))
    with (
        closing(_results(args, job, chain(first_two, waiting))) as results,
        open_output(args.output) as stream,
        InputBar(size, shown=sys.stderr.isatty() and not on_terminal) as bar,
    ):
        stream.write(job.show.head)
        tagged, bad = _write(results, stream, bar, report, strict=args.strict)
        stream.write(job.show.end)
    for line in report.lines():
        _tell(line)
    if bad:
        _tell(f"{bad} documents left out for the reasons told above; {tagged} tagged")
    return SOME_LEFT_OUT if bad else 0


def _results(
    args: argparse.Namespace, job: TagJob, waiting: Iterator[Piece]
) -> Generator[Tagged, None, None]:
    """What becomes of the documents, chunk after chunk."""
    if args.engine == "spark":
        from fofe.base.report import Report
        from fofe.spark.bulk import tag_lines
        from fofe.spark.session import make_session
        from fofe.tagging.sources import find_sources

        sources = find_sources(args.inputs or ["-"], args.source_format, args.unit, Report())
        return tag_lines(make_session(args.master), job, sources)
    from fofe.base.workers import in_order
    from fofe.tagging.sources import chunks

    return in_order(job, chunks(waiting), args.workers)


def _check_effect(args: argparse.Namespace, *, parquet: bool) -> None:
    """Refuse what nothing would come of, rather than let it be thought to count."""
    from fofe.base.errors import FofeError

    idle = {
        "--device goes with --engine torch": args.device != "auto" and args.engine != "torch",
        "--master goes with --engine spark": args.master is not None and args.engine != "spark",
        "--text-column goes with parquet files": args.text_column != "text" and not parquet,
    }
    for rule, broken in idle.items():
        if broken:
            raise FofeError(f"{rule}: without that it has no effect (leave it out)")


def _tag_parquet(args: argparse.Namespace) -> int:
    """Tag the texts of parquet files into others, here or on Spark."""
    _check_parquet(args)
    options = {name: value for name, value in _options(args).items() if value is not None}
    if args.engine != "spark":
        from fofe.tagging.parquet import TextsJob, tag_files

        job = TextsJob(_model(args), args.engine, args.device, options)
        rows = tag_files(job, args.inputs, args.output, text_column=args.text_column, workers=args.workers)
        _tell(f"{rows} rows tagged")
        return 0
    from fofe.spark.bulk import tag_parquet
    from fofe.spark.session import make_session

    model = _model(args)
    tag_parquet(make_session(args.master), args.inputs, args.output, args.text_column, model, options)
    return 0


def _check_parquet(args: argparse.Namespace) -> None:
    """Refuse what cannot be done with parquet, rather than leave it undone without a word."""
    from fofe.base.errors import FofeError

    refused = {
        "--text": args.text,
        "--input": args.source_format,
        "--format": args.format,
        "--redact": args.redact,
        "--offsets": args.offsets != "codepoints",
        "--flat": args.flat,
        "--alternatives": args.alternatives,
    }
    for option, given in refused.items():
        if given:
            raise FofeError(
                f"{option} does not go with parquet, which gets a column of all mentions, in code points"
            )
    paths = (args.output, *args.inputs)
    if not args.inputs or not all(path.endswith(PARQUET) for path in paths):
        raise FofeError("parquet goes into parquet: let every input and -o end in .parquet")
    in_folders = (file for path in args.inputs for file in Path(path).glob(f"*{PARQUET}"))
    refuse_input(args.output, chain(args.inputs, in_folders))


def _input(args: argparse.Namespace, report: Report) -> tuple[Iterator[Piece], int | None]:
    """The documents that are to be read, and their bytes if that is known."""
    from fofe.base.errors import FofeError
    from fofe.tagging.sources import find_sources, pieces, texts, total_size

    if args.text and args.inputs:
        raise FofeError("give either --text or files, not both")
    if args.text:
        return texts(args.text), None
    if not args.inputs and sys.stdin.isatty():
        _tell("reads what you type, a document a line, until Ctrl-D (fofe tag --help tells of other ways)")
    sources = find_sources(args.inputs or ["-"], args.source_format, args.unit, report)
    refuse_input(args.output, (file for source in sources for file in files_read(source.path, source.kind)))
    return pieces(sources, report), total_size(sources)


def _format(args: argparse.Namespace, *, on_terminal: bool) -> str:
    """The format of the output: what was asked for, what the name of the file promises, or what fits."""
    from fofe.base.errors import FofeError
    from fofe.cli._show import format_of_output

    if args.redact and args.format not in (None, "text"):
        raise FofeError(f"--redact writes text, not {args.format}: leave --format out")
    if args.redact:
        return "redacted"
    # Text has no place for what these ask for, so it is not what is meant where nothing says so.
    asked = {"--alternatives": args.alternatives, "--offsets": args.offsets != "codepoints"}
    detailed = [option for option, given in asked.items() if given]
    usual = "text" if on_terminal and not detailed else "jsonl"
    format: str = args.format or format_of_output(args.output) or usual
    if detailed and format not in ("jsonl", "tsv"):
        raise FofeError(f"{detailed[0]} is told in jsonl and tsv only, not in {format}: give --format")
    return format


def _job(args: argparse.Namespace, show: Show) -> TagJob:
    from fofe.tagging.bulk import TagJob

    return TagJob(
        model=_model(args),
        engine="numpy" if args.engine == "spark" else args.engine,
        device=args.device,
        options=_options(args),
        flat=args.flat,
        show=show,
        strict=args.strict,
    )


def _model(args: argparse.Namespace) -> str:
    """The directory of the model that is wanted, or `auto`."""
    from fofe.base.errors import FofeError
    from fofe.tagging.installed import AUTO, DEFAULT, model_of_language, model_path

    if args.lang is None:
        return str(model_path(args.model or DEFAULT))
    if args.model is not None:
        raise FofeError("give either --model or --lang, which takes the installed model of a language")
    return AUTO if args.lang == AUTO else str(model_of_language(args.lang).path)


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """How to decode: the options of `Model.with_options`."""
    return {
        "threshold": args.threshold,
        "strategy": args.strategy,
        "nested": args.nested,
        "agreement": args.agreement,
        "alternatives": args.alternatives,
        "for_recall": args.recall,
        "exact": args.exact,
        "conventions": args.conventions,
    }


def _write(
    results: Iterable[Tagged], stream: IO[str], bar: InputBar, report: Report, *, strict: bool
) -> tuple[int, int]:
    """Write and tell what comes; returns how many documents were tagged and how many were bad."""
    tagged = 0
    bad: Counter[str] = Counter()
    for result in results:
        stream.write(result.output)
        stream.flush()  # whoever reads the other end of a pipe sees it now
        if strict and result.bad:
            raise result.bad[0]
        for error in result.bad:
            bad[str(error.path)] += 1
            if bad[str(error.path)] <= BAD_TOLD:
                bar.say(f"fofe: {error}")
        bar.update(result.size)
        report.add(result.report)
        tagged += result.documents
    for path, number in bad.items():
        if number > BAD_TOLD:
            bar.say(f"fofe: {path}: {number - BAD_TOLD} more left out")
    return tagged, bad.total()


def _tell(line: str) -> None:
    print(f"fofe: {line}", file=sys.stderr)
