"""`fofe check`: look a corpus over before training on it."""

from __future__ import annotations

import argparse
import json
import sys

from fofe.cli._corpus_options import add_corpus_options, corpus_options

DESCRIPTION = """\
Look a corpus over: its size and labels, how deep mentions nest, strings that
are labelled in several ways, mentions that a model of at most N words cannot
find, sentences that occur twice, and what the reader had to mend.
"""

EXAMPLES = """\
examples:
  fofe check train.conll
  fofe check 'corpus/*.jsonl' --max-words 10
  fofe check annotated/ --lang en --json
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "check",
        help="look a corpus over before training",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "corpus", metavar="CORPUS", help="a file, a directory, a quoted pattern, or - for stdin"
    )
    parser.add_argument("--format", metavar="F", help="format of the corpus (default: recognised)")
    parser.add_argument(
        "--max-words", type=int, default=7, metavar="N", help="longest fragment of the model, in words (7)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    add_corpus_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print what was found as a table or as JSON."""
    from fofe.cli.evaluate import no_document
    from fofe.evaluate.check import check_corpus, describe
    from fofe.formats import Report, read_corpus

    report = Report()
    options = {"language": "en", **corpus_options(args)}
    documents = read_corpus(args.corpus, args.format, report, **options)
    result = check_corpus(documents, max_words=args.max_words, report=report)
    if not result.documents:
        for line in report.lines():
            print(f"{args.corpus}: {line}", file=sys.stderr)
        raise no_document(args.corpus)
    if args.json:
        reading = {"facts": report.facts, "remarks": dict(report.counts)}
        print(json.dumps({**result.as_dict(), "reading": reading}, indent=2))
    else:
        print(describe(result, report).encode(errors="backslashreplace").decode())
    return 0
