"""`fofe tag`: mentions in text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fofe.model.tagger import Model
    from fofe.text.document import Document

DESCRIPTION = """\
Find mentions. Input is plain text, a document a line (or the whole file with
--unit file), or a corpus (conll, jsonl, brat), whose own tokens are used.
Output is coloured text on a terminal and JSON lines in a pipe.
"""

EXAMPLES = """\
examples:
  fofe tag --model runs/tiny/model --text "Anna Berg met the mayor of Bergen."
  fofe tag --model runs/tiny/model news.txt > mentions.jsonl
  echo "Leeds won." | fofe tag --model runs/tiny/model --format tsv
  fofe tag --model runs/tiny/model corpus.conll --format conll
  fofe tag --model runs/tiny/model notes.txt --nested --threshold 0.7 --alternatives 2
"""

FORMATS = ("text", "jsonl", "tsv", "conll")


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
    parser.add_argument("-m", "--model", required=True, metavar="MODEL", help="a model directory")
    parser.add_argument(
        "-t", "--text", action="append", metavar="TEXT", help="tag this text instead of files"
    )
    parser.add_argument(
        "--input",
        dest="source_format",
        choices=("text", "conll", "jsonl", "brat"),
        help="format of the input (default: by the file's suffix, else text)",
    )
    parser.add_argument(
        "--unit",
        choices=("line", "file"),
        default="line",
        help="what one plain-text document is (default: line)",
    )
    parser.add_argument("-f", "--format", choices=FORMATS, help="format of the output")
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="where to write (default: stdout)"
    )
    parser.add_argument(
        "--offsets",
        choices=("codepoints", "utf16", "bytes"),
        default="codepoints",
        help="what offsets count, in jsonl and tsv (default: codepoints)",
    )
    decoding = parser.add_argument_group("decoding (default: as tuned when the model was trained)")
    decoding.add_argument("--threshold", type=float, metavar="P", help="least score of a mention")
    decoding.add_argument("--strategy", metavar="S", help="how overlaps are resolved")
    decoding.add_argument(
        "--nested", action=argparse.BooleanOptionalAction, help="whether mentions may lie in one another"
    )
    decoding.add_argument(
        "--recall", action="store_true", help="take the best type even where NONE is more likely"
    )
    decoding.add_argument(
        "--exact", action="store_true", help="judge every fragment, also those that the gate turns away"
    )
    decoding.add_argument(
        "--alternatives", type=int, default=0, metavar="N", help="also tell the N next best labels"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Tag, and write as it goes."""
    from fofe.cli._show import write_tagged
    from fofe.formats.report import Report
    from fofe.model.tagger import load

    if args.text and args.inputs:
        from fofe.errors import FofeError

        raise FofeError("give either --text or files, not both")
    model = load(args.model).with_options(
        threshold=args.threshold,
        strategy=args.strategy,
        nested=args.nested,
        alternatives=args.alternatives,
        for_recall=args.recall,
        exact=args.exact,
    )
    report = Report()
    format = args.format or ("text" if args.output == "-" and sys.stdout.isatty() else "jsonl")
    tagged = model.tag_documents(_documents(args, model, report))
    write_tagged(tagged, args.output, format, args.offsets, report)
    for line in report.lines():
        print(f"fofe: {line}", file=sys.stderr)
    return 0


def _documents(args: argparse.Namespace, model: Model, report: object) -> Iterator[Document]:
    """The documents of the input, tokenised."""
    from fofe.text.tokenise import tokeniser

    cut = tokeniser(model.config.language).document
    if args.text:
        for text in args.text:
            yield cut(text)
        return
    for path in args.inputs or ["-"]:
        if _is_corpus(path, args.source_format):
            from fofe.formats import read_corpus

            language = model.config.language
            yield from read_corpus(path, args.source_format, report, language=language)  # type: ignore[arg-type]
        elif args.unit == "file":
            from fofe.formats._shared import read_all

            yield cut(read_all(path), id="" if path == "-" else path)
        else:
            from fofe.formats._shared import read_lines

            for number, line in read_lines(path):
                yield cut(line.rstrip("\r\n"), id=f"{'stdin' if path == '-' else path}:{number}")


def _is_corpus(path: str, format: str | None) -> bool:
    if format is not None:
        return format != "text"
    from pathlib import Path

    from fofe.formats import FORMATS as CORPUS_FORMATS

    suffixes = {suffix for known in CORPUS_FORMATS.values() for suffix in known.suffixes}
    return path != "-" and (Path(path).suffix.lower() in suffixes or Path(path).is_dir())
