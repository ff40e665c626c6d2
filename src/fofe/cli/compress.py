"""`fofe compress`: a smaller model from a trained one."""

from __future__ import annotations

import argparse
from pathlib import Path

from fofe.base.errors import FofeError
from fofe.cli._corpus_options import add_corpus_options

DESCRIPTION = """\
Make a smaller model: word vectors of 8 or 16 bits a number, other weights of
16 bits and, if you wish, fewer words. Tells what that saves and, on a corpus,
what it costs.
"""

EXAMPLES = """\
examples:
  fofe compress runs/tiny/model -o small
  fofe compress my-model -o small --corpus dev.conll
  fofe compress my-model -o small --words 50000 --keep train.conll --corpus dev.conll
  fofe compress my-model -o half --tables float16 --weights float32 --json
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "compress",
        help="make a smaller model from a trained one",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="a model directory, or the name of an installed model")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="the directory of the smaller model"
    )
    parser.add_argument(
        "--tables",
        choices=("int8", "float16", "float32"),
        default="int8",
        help="how word vectors are stored (default: int8)",
    )
    parser.add_argument(
        "--weights",
        choices=("float16", "float32"),
        default="float16",
        help="how all other weights are stored (default: float16)",
    )
    parser.add_argument(
        "--words",
        type=int,
        metavar="N",
        help="keep the N most frequent words of each table, besides training words that its vectors lacked",
    )
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="CORPUS",
        help="with --words: keep the words of this corpus too; may be repeated",
    )
    parser.add_argument("--corpus", metavar="CORPUS", help="annotated corpus to compare speed and scores on")
    parser.add_argument(
        "--format", help="the format of the corpora (default: recognised by name and content)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    add_corpus_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the smaller model and print both side by side."""
    from fofe.cli.evaluate import read_documents
    from fofe.evaluate.cost import costs_section, measure
    from fofe.evaluate.tables import as_json, as_text
    from fofe.model.compress import compress, words_of
    from fofe.model.storage import Storage, load_model, save_model
    from fofe.tagging.installed import model_path

    if args.keep and args.words is None:
        raise FofeError("--keep goes with --words: without it all words are kept")
    path = model_path(args.model)
    if Path(args.output).resolve() == path.resolve():
        raise FofeError(f"{args.output} is the model itself (choose another directory)")
    model = load_model(path)
    language = model.config.language
    kept_text = [
        sentence.words
        for path in args.keep
        for document in read_documents(path, args, language)
        for sentence in document.sentences
    ]
    gold = read_documents(args.corpus, args, language) if args.corpus else None
    smaller = compress(
        model, Storage(args.tables, args.weights), words=args.words, keep=words_of(model, kept_text)
    )
    save_model(smaller, args.output)
    sections = [costs_section(measure(path, gold), measure(args.output, gold))]
    print(as_json(sections) if args.json else as_text(sections))
    return 0
