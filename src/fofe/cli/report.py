"""`fofe report`: a page about a model."""

from __future__ import annotations

import argparse
import sys

from fofe.cli._arguments import count
from fofe.cli._corpus_options import add_corpus_options

DESCRIPTION = """\
Write a page about a model that needs nothing else: what it is, how it learned
(if it still stands in the directory of its run), and on an annotated corpus
its scores, precision and recall by threshold, how honest its scores are, which
labels it takes for which, and its errors in context.
"""

EXAMPLES = """\
examples:
  fofe report runs/tiny/model
  fofe report runs/tiny/model --corpus examples/corpus/dev.jsonl -o tiny.html
"""


WITHOUT_CORPUS = (
    "without a corpus the page has no scores, thresholds, confusions and errors: "
    "give an annotated one by --corpus"
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "report",
        help="write a page about a model, with curves and errors",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="a model directory, or the name of an installed model")
    parser.add_argument("--corpus", metavar="CORPUS", help="an annotated corpus to try it on")
    parser.add_argument(
        "-o", "--output", default="report.html", metavar="FILE", help="where to write (default: report.html)"
    )
    parser.add_argument(
        "--errors",
        type=count,
        default=10,
        metavar="N",
        help="how many examples of each kind of error to show (default: 10)",
    )
    parser.add_argument("--format", help="the format of the corpus (default: recognised by name and content)")
    add_corpus_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Tag the corpus, write the page, print its path."""
    import fofe
    from fofe.base.files import open_output
    from fofe.cli.evaluate import read_documents
    from fofe.show.model_page import OnCorpus, report_page
    from fofe.tagging.installed import model_path

    model = fofe.load(model_path(args.model))
    corpus = None
    if args.corpus:
        gold = read_documents(args.corpus, args, model.config.language)
        corpus = OnCorpus(gold, list(model.tag_documents(gold)))
    else:
        print(f"fofe: {WITHOUT_CORPUS}", file=sys.stderr)
    page = report_page(model, corpus, name=args.model, examples_of_each=args.errors)
    with open_output(args.output) as stream:
        stream.write(page)
    if args.output != "-":
        print(args.output)
    return 0
