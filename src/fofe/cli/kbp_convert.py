"""`fofe kbp convert`: source documents and gold mentions into training data, and back."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fofe.cli._kbp_options import add_reading_options, reading, tell

if TYPE_CHECKING:
    from fofe.base.errors import InputError
    from fofe.base.report import Report
    from fofe.kbp.source import SourceDocument
    from fofe.text.document import Document

DESCRIPTION = """\
Turn source documents and their gold mentions (--gold) into a corpus to train
on, or such a corpus (--corpus) with the same documents into gold mentions.
"""

EXAMPLES = """\
examples:
  fofe kbp convert source/ --gold gold.tab -o train.jsonl
  fofe kbp convert source/ --gold gold.tab --lang spa -o spanish.jsonl
  fofe kbp convert source/ --corpus train.jsonl -o gold.tab
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "convert",
        help="documents and gold mentions into training data, and back",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "documents", nargs="+", metavar="DOCS", help="source documents, or directories of them"
    )
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--gold", metavar="TAB", help="the gold mentions of the documents")
    given.add_argument("--corpus", metavar="JSONL", help="the corpus that was made from the documents")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="the corpus (jsonl, conll, brat), or the .tab file",
    )
    parser.add_argument("--lang", metavar="L", help="only documents in this language: eng, cmn, spa")
    parser.add_argument(
        "--run-id", default="fofe", metavar="ID", help="run id of mentions that have none (default: fofe)"
    )
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Convert one way or the other."""
    from fofe.base.report import Report
    from fofe.kbp.source import read_all, source_files

    report = Report()
    bad: list[InputError] = []
    sources = _chosen(read_all(source_files(args.documents), reading(args), report, bad), args.lang, report)
    convert = _to_training if args.gold else _to_gold
    return tell(report, bad, convert(args, sources, report, bad))


def _chosen(
    sources: Iterator[SourceDocument], language: str | None, report: Report
) -> Iterator[SourceDocument]:
    """The documents in a language, or all of them."""
    from fofe.kbp.language import language_code

    wanted = None if language is None else language_code(language)
    for source in sources:
        if wanted is None or source.language() == wanted:
            yield source
        else:
            report.note("documents in other languages left out", source.id)


def _to_training(
    args: argparse.Namespace, sources: Iterator[SourceDocument], report: Report, bad: list[InputError]
) -> int:
    from fofe.base.errors import InputError
    from fofe.formats import write_corpus
    from fofe.kbp.convert import to_training
    from fofe.kbp.tab import by_document, read_tab

    gold = by_document(read_tab(args.gold, report))
    written = 0

    def documents() -> Iterator[Document]:
        nonlocal written
        for source in sources:
            try:
                document = to_training(source, gold.pop(source.id, []), report)
            except InputError as error:
                bad.append(error)
                continue
            written += 1
            yield document

    write_corpus(documents(), args.output, None, report)
    if args.lang is None:
        for id, mentions in gold.items():
            report.note(f"documents of the gold that were not given ({len(mentions)} mentions)", id)
    return written


def _to_gold(
    args: argparse.Namespace, sources: Iterator[SourceDocument], report: Report, bad: list[InputError]
) -> int:
    from fofe.base.errors import InputError
    from fofe.formats import read_corpus
    from fofe.kbp.convert import to_gold, with_ids
    from fofe.kbp.tab import TabMention, write_tab

    corpus = {document.id: document for document in read_corpus(args.corpus, None, report)}
    mentions: list[TabMention] = []
    found = 0
    for source in sources:
        if source.id not in corpus:
            report.note("documents that the corpus does not have", source.id)
            continue
        try:
            mentions += to_gold(corpus[source.id], source)
        except InputError as error:
            bad.append(error)
            continue
        found += 1
    write_tab(with_ids(mentions, args.run_id), args.output)
    return found
