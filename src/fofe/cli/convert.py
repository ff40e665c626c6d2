"""`fofe convert`: a corpus from one format into another."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from fofe.cli._corpus_options import add_corpus_options, corpus_options
from fofe.cli._outputs import files_read, refuse_input

DESCRIPTION = """\
Convert a corpus between formats: conll, jsonl, brat, spacy (DocBin),
label-studio and doccano. What the new format cannot hold, and what had to be
mended in the old one, is counted at the end.
"""

EXAMPLES = """\
examples:
  fofe convert eng.train train.jsonl --from conll
  fofe convert news.jsonl news.conll --scheme BIOES
  fofe convert annotated/ corpus.jsonl              (a directory of brat files)
  fofe convert annotated/ corpus.conll --lang es    (brat has no tokens: tokenise)
  fofe convert zh.iob2 zh.jsonl --token-column 1 --tag-column 2
  fofe convert project.json corpus.jsonl --from label-studio
  fofe convert news.jsonl train.spacy --lang en
  cat news.conll | fofe convert - - --from conll --to jsonl
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "convert",
        help="convert a corpus between formats",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", metavar="IN", help="a file, a directory, a quoted pattern, or - for stdin")
    parser.add_argument("target", metavar="OUT", help="a file, a directory for brat, or - for stdout")
    parser.add_argument(
        "--from", dest="source_format", metavar="F", help="format of IN (default: recognised)"
    )
    parser.add_argument(
        "--to", dest="target_format", metavar="F", help="format of OUT (default: by its suffix)"
    )
    parser.add_argument("--scheme", metavar="S", help="tag scheme of CoNLL output (default: IOB2)")
    parser.add_argument(
        "--spans",
        choices=("characters", "tokens"),
        help="what spans of JSONL output count (default: characters)",
    )
    add_corpus_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Convert, and print to stderr what could not be kept."""
    from fofe.formats import Report, read_corpus, write_corpus

    refuse_input(args.target, _files_read(args))
    report = Report()
    given = {"scheme": args.scheme, "spans": args.spans}
    options = {name: value for name, value in given.items() if value is not None}
    documents = read_corpus(args.source, args.source_format, report, **corpus_options(args))
    write_corpus(documents, args.target, args.target_format, report, **options)
    for line in report.lines():
        print(line, file=sys.stderr)
    return 0


def _files_read(args: argparse.Namespace) -> Iterator[str | Path]:
    from fofe.formats import Report, corpus_files

    yield args.source
    for file, format in corpus_files(args.source, args.source_format, Report()):
        yield from files_read(file, format)
