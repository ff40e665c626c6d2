"""`fofe tag`: mentions in text."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from fofe.base.errors import FofeError
from fofe.base.files import STANDARD, open_output
from fofe.base.report import Report, counted
from fofe.cli import PARTIAL
from fofe.cli._command import command, flag, option, repeated, titled
from fofe.cli._io import Bar, files_read, refuse_input, say, say_report
from fofe.cli._options import (
    A_MODEL,
    AGREEMENT,
    MASTER,
    RULES,
    SCHEME,
    THRESHOLD,
    WORKERS,
    decoding_options,
    given,
    rules_and_inputs,
)
from fofe.formats import FORMATS
from fofe.tagging.installed import AUTO, DEFAULT, model_of_language, model_path, models_by_language

if TYPE_CHECKING:
    from fofe.tagging.pipeline import Input, Tagged, TagJob
    from fofe.tagging.sources import Source

INPUT_FORMATS = "|".join(["text", "csv", "tsv", *FORMATS])
PARQUET = ".parquet"

BAD_SHOWN = 5
"""How many unreadable documents of a file are reported one by one; the rest is counted."""


@command(
    "find mentions in text, or redact them",
    option("inputs FILE", "files; - or nothing for stdin", nargs="*"),
    option("-m --model MODEL", f"{A_MODEL} (default: en)"),
    option("--lang L", "use the installed model of this language; auto: the one of each document's language"),
    repeated("-t --text TEXT", "tag this text instead of files"),
    option(f"--input {INPUT_FORMATS}", "format of the input (default: by the file's suffix, else text)"),
    option("--unit line|file", "what a plain-text document is", default="line"),
    option(
        "-f --format text|jsonl|tsv|conll|html",
        "format of the output (default: by the suffix of -o, else text on a terminal, jsonl elsewhere)",
    ),
    RULES,
    flag(
        "--redact",
        "write the text with [LABEL] instead of each mention and of contact data; it misses some, so read it",
    ),
    option("-o --output FILE", "where to write (default: stdout)", default="-"),
    option("--offsets codepoints|utf16|bytes", "unit of offsets in jsonl and tsv", default="codepoints"),
    WORKERS,
    option("--engine numpy|torch|spark", "NumPy, PyTorch, or NumPy on Apache Spark", default="numpy"),
    MASTER,
    option("--text-column C", "column of the texts in csv, tsv and parquet input (default: text)"),
    option("--device D", "with --engine torch: cpu, cuda or auto", default="auto"),
    flag("--strict", "stop at the first document that cannot be read"),
    titled(
        "decoding (default: as tuned when the model was trained)",
        THRESHOLD,
        option(
            "--strategy S",
            "how overlaps are resolved: highest-first, longest-first, highest-first-by-word,"
            " longest-first-by-word, non-crossing",
        ),
        option("--[no-]nested", "whether mentions may lie inside others"),
        AGREEMENT,
        flag("--names", "names only, none inside another: plain named entities", default=None),
        flag("--flat", "of nested mentions, show only the outermost"),
        flag("--recall", "take the best type even where NONE is more likely", dest="for_recall"),
        flag("--exact", "score every fragment, also those that the gate rejects"),
        SCHEME,
        option("--alternatives N", "also show the N next best labels", type=int, default=0),
    ),
)
def tag(args: argparse.Namespace) -> int:
    """Find mentions. Input is plain text, one document per line (or per file with
    --unit file), a column of a table, or a corpus (conll, jsonl, brat), whose own
    tokens are used. A directory stands for the corpora in it, else its .txt or .csv files.
    Output is coloured text on a terminal and JSON lines in a pipe; in a file, the
    suffix decides.

    A document that cannot be read is reported and skipped, and the exit code is 1,
    or 2 if none could be read; a file that is no UTF-8 text at all is refused before
    any work is done.

    Examples:
      fofe tag --text "Anna Berg met the mayor of Bergen."
      fofe tag news.txt > mentions.jsonl
      fofe tag --lang auto news.txt -f text
      fofe tag --unit file letters -o mentions.jsonl
      fofe tag reviews.csv --text-column body -o mentions.jsonl
      echo "Leeds won." | fofe tag --format tsv
      fofe tag notes.txt --threshold 0.8 --alternatives 2
      fofe tag news.txt --names -f text
      fofe tag news.txt -o news.html
      fofe tag letters.txt --redact > letters.redacted.txt
      fofe tag reviews.csv --redact -o reviews.redacted.jsonl
      fofe tag letters.txt --rules contact dates money orders.toml
      fofe tag --workers 4 big.jsonl -o mentions.jsonl
      fofe tag --model runs/tiny/model corpus.conll --format conll
      fofe tag --model runs/tiny/model articles.parquet --text-column body -o mentions.parquet
      fofe tag --model runs/tiny/model --engine spark big.parquet -o mentions.parquet
    """
    from fofe.base.workers import in_order
    from fofe.show.documents import frame, writer
    from fofe.tagging.pipeline import chunks
    from fofe.tagging.sources import TEXT_FILE, TEXT_LINES, inputs, texts, total_size
    from fofe.tagging.tables import TABLES

    args.rules, args.inputs = rules_and_inputs(args, args.inputs)
    refuse_input(args.output, args.rules, what="file of rules")
    parquet = any(path.endswith(PARQUET) for path in (*args.inputs, args.output))
    _check_options(args, parquet=parquet)
    if parquet:
        _tag_parquet(args)
        return 0
    report = Report()
    sources = [] if args.text else _sources(args, report)
    if args.text_column and not any(source.kind in TABLES for source in sources):
        remedy = "give --input csv, or leave it out"
        if sources and not any(source.kind in (TEXT_LINES, TEXT_FILE) for source in sources):
            remedy = "leave it out: a corpus names its texts itself"
        raise FofeError(f"--text-column goes with csv, tsv and parquet files ({remedy})")
    waiting: Iterator[Input | None] = texts(args.text) if args.text else inputs(sources, report)
    on_terminal = args.output == STANDARD and sys.stdout.isatty()
    format = _format(args, on_terminal=on_terminal)
    first_two = list(islice(filter(None, waiting), 2)) if format == "conll" else []
    colour = on_terminal and "NO_COLOR" not in os.environ
    alone = len(first_two) == 1
    write = partial(
        writer, format=format, offsets=args.offsets, redact=args.redact, colour=colour, alone=alone
    )
    job = _job(args, write)
    head, end = frame(format)
    if args.engine == "spark":
        from fofe.spark import make_session, tag_lines

        results = tag_lines(make_session(args.master), job, sources)
    else:
        results = in_order(job, chunks(chain(first_two, waiting)), args.workers)
    size = total_size(sources) if sources else None
    with (
        closing(results),
        open_output(args.output) as stream,
        Bar(total=size, unit="B", unit_scale=True, shown=not on_terminal) as bar,
    ):
        stream.write(head)
        tagged, bad = _write(results, stream, bar, report, strict=args.strict)
        if bad and not tagged:  # what is there under the name of the output stays
            say_report(report)
            raise FofeError(f"{counted(bad, 'documents left out for the reasons given above')}; none tagged")
        stream.write(end)
    say_report(report)
    if bad:
        say(f"{counted(bad, 'documents left out for the reasons given above')}; {tagged} tagged")
    return PARTIAL if bad else 0


def _check_options(args: argparse.Namespace, *, parquet: bool) -> None:
    """Refuse options that would have no effect, or that exclude one another."""
    for name in ("text", "input", "unit", "format", "redact", "offsets", "flat", "alternatives"):
        if parquet and getattr(args, name) not in (None, False, [], "line", "codepoints"):
            raise FofeError(
                f"--{name} does not go with parquet, which gets a column of all mentions, in code points"
            )
    problems = {
        "give either --text or files, not both": args.text and args.inputs,
        "--input and --unit are of files, not of --text": args.text and (args.input or args.unit != "line"),
        "non-crossing is nested by nature: leave out --no-nested, or choose another strategy": (
            args.strategy == "non-crossing" and args.nested is False
        ),
        "--device goes with --engine torch (leave it out)": args.device != "auto" and args.engine != "torch",
        "--master goes with --engine spark (leave it out)": args.master and args.engine != "spark",
        "--engine spark reads files of lines and parquet, not --text": args.text and args.engine == "spark",
        "--engine spark shares work by --master, not --workers": args.workers > 1 and args.engine == "spark",
    }
    for problem, found in problems.items():
        if found:
            raise FofeError(problem)


def _sources(args: argparse.Namespace, report: Report) -> list[Source]:
    """The files to read, none of which is the output."""
    from fofe.tagging.sources import find_sources

    if not args.inputs and sys.stdin.isatty():
        say("reads what you type, one document per line, until Ctrl-D (see fofe tag --help for other ways)")
    sources = find_sources(args.inputs or ["-"], args.input, args.unit, report, args.text_column)
    refuse_input(args.output, (file for source in sources for file in files_read(source.path, source.kind)))
    return sources


def _format(args: argparse.Namespace, *, on_terminal: bool) -> str:
    """The format of the output: the given one, that of the file's suffix, or one that suits the terminal."""
    from fofe.show.documents import format_of_output

    # Text cannot show what these options ask for, so it is not the default with them.
    asked = {"--alternatives": args.alternatives, "--offsets": args.offsets != "codepoints"}
    detailed = [name for name, given in asked.items() if given]
    usual = "text" if args.redact or (on_terminal and not detailed) else "jsonl"
    format: str = args.format or format_of_output(args.output, redacted=args.redact) or usual
    if args.redact and detailed:
        raise FofeError(f"{detailed[0]} is about mentions, which --redact does not write: leave it out")
    if args.redact and format not in ("text", "jsonl"):
        raise FofeError(f"--redact writes no {format}: give --format text or jsonl")
    if detailed and format not in ("jsonl", "tsv"):
        raise FofeError(f"{detailed[0]} is not shown in {format}: give --format jsonl or tsv")
    return format


def _job(args: argparse.Namespace, writer: Any) -> TagJob[Any]:
    from fofe.tagging.pipeline import TagJob
    from fofe.tagging.rules import CONTACT

    if args.lang is None:
        model = str(model_path(args.model or DEFAULT))
    elif args.model is not None:
        raise FofeError("give either --model or --lang, which takes the installed model of a language")
    else:
        model = AUTO if args.lang == AUTO else str(model_of_language(args.lang, models_by_language()).path)
    engine = "numpy" if args.engine == "spark" else args.engine
    how = given(args, "device", "flat", "strict")
    options = decoding_options(args)
    # Whoever redacts a letter wants its telephone number gone, whatever other rules there are.
    if rules := [*args.rules, *([CONTACT] if args.redact else [])]:
        options["rules"] = rules
    return TagJob(model=model, writer=writer, engine=engine, options=options, **how)


def _write(
    results: Iterable[Tagged[str]], stream: IO[str], bar: Bar, report: Report, *, strict: bool
) -> tuple[int, int]:
    """Write results as they come; returns how many documents were tagged and how many were unreadable."""
    tagged = 0
    bad: Counter[str] = Counter()
    for result in results:
        stream.writelines(filter(None, result.outputs))
        stream.flush()  # the other end of a pipe sees it now
        if strict and result.bad:
            raise result.bad[0]
        for error in result.bad:
            bad[str(error.path)] += 1
            if bad[str(error.path)] <= BAD_SHOWN:
                bar.say(str(error))
        bar.update(result.size)
        report.add(result.report)
        tagged += result.documents
    for path, number in bad.items():
        if number > BAD_SHOWN:
            bar.say(f"{path}: {number - BAD_SHOWN} more left out")
    return tagged, bad.total()


def _tag_parquet(args: argparse.Namespace) -> None:
    """Tag the texts of parquet files into others, here or on Spark."""
    from fofe.tagging.pipeline import mentions_only

    if not args.inputs or not all(path.endswith(PARQUET) for path in (args.output, *args.inputs)):
        raise FofeError("parquet goes into parquet: let every input and -o end in .parquet")
    in_folders = (file for path in args.inputs for file in Path(path).glob(f"*{PARQUET}"))
    refuse_input(args.output, chain(args.inputs, in_folders))
    job, text_column = _job(args, mentions_only), args.text_column or "text"
    if args.engine == "spark":
        from fofe.spark import make_session, tag_parquet

        spark = make_session(args.master)
        tag_parquet(spark, args.inputs, args.output, text_column, job.model, job.options)
        return
    from fofe.tagging.parquet import tag_files

    rows = tag_files(job, args.inputs, args.output, text_column=text_column, workers=args.workers)
    say(counted(rows, "rows tagged"))
