"""`fofe wiki`: weakly labelled text from Wikipedia."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from fofe.cli._arguments import count

if TYPE_CHECKING:
    from fofe.wiki.summary import Summary

DESCRIPTION = """\
Make a corpus from a Wikipedia dump, to train on beside annotated text.
"""

EXAMPLES = """\
examples:
  fofe wiki label enwiki-pages-articles.xml.bz2 -o weak.jsonl
  fofe wiki label dump.xml.bz2 --types classes.tsv.xz wikidata.json.bz2 -o weak.jsonl
"""

LABEL = """\
Links become mentions of the type of the page that they lead to. What a page
is, is told by its infobox, categories, first sentence and title, and by the
tables given: Wikidata's JSON, or lines `title<TAB>class`. A mapping says which
class is which type. Everything but the links is marked as unknown, except
words that are safely no names.

A job that was killed goes on when it is given again.
"""

LABEL_EXAMPLES = """\
examples:
  fofe wiki label dump.xml.bz2 -o weak.jsonl
  fofe wiki label dump.xml.bz2 --types classes.tsv.xz --repeats --workers 4 -o weak.jsonl
  fofe wiki label eswiki.xml.bz2 --mapping mine.toml -o weak.es.jsonl
  fofe wiki label enwiki-1.xml.bz2 enwiki-2.xml.bz2 --engine spark --master local[8] -o weak.parquet
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command, its actions and their options."""
    parser = subparsers.add_parser(
        "wiki",
        help="make a weakly labelled corpus from Wikipedia",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    label = actions.add_parser(
        "label",
        help="label the links of a dump",
        description=LABEL,
        epilog=LABEL_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    label.add_argument("dumps", nargs="+", metavar="DUMP", help="MediaWiki XML, plain or .bz2, .gz, .xz")
    label.add_argument("-o", "--output", required=True, metavar="OUT", help="where to write")
    label.add_argument(
        "--types", nargs="+", default=[], metavar="TABLE", help="tables that tell what pages are"
    )
    label.add_argument("--mapping", metavar="FILE", help="TOML file from classes to types")
    label.add_argument("--lang", default="", metavar="L", help="language (default: that of the dump)")
    label.add_argument(
        "--repeats",
        action="store_true",
        help="also label later plain mentions of linked names, and of the page's title",
    )
    label.add_argument(
        "--engine",
        choices=("processes", "spark"),
        default="processes",
        help="who does the work: processes on this machine, or Apache Spark (default: processes)",
    )
    label.add_argument(
        "--master", metavar="M", help="Spark's master: local[4], spark://HOST:PORT ... (default: local[*])"
    )
    label.add_argument(
        "--workers", type=count, default=1, metavar="N", help="how many processes (default: 1)"
    )
    label.add_argument("--work", metavar="DIR", help="where parts lie until all is done (default: OUT.work)")
    label.add_argument("--json", action="store_true", help="print the counts as JSON")
    label.set_defaults(run=run_label)


def run_label(args: argparse.Namespace) -> int:
    """Label, and print what was found and what was left out."""
    from pathlib import Path

    from fofe.base.errors import InputError
    from fofe.wiki.job import Settings, label_dump

    if "://" not in args.output and not Path(args.output).absolute().parent.is_dir():
        raise InputError("cannot be written: its directory does not exist", path=args.output)
    settings = Settings(tuple(args.dumps), tuple(args.types), args.lang, args.mapping, args.repeats)
    folder = Path(args.work or f"{args.output.rstrip('/')}.work")
    if folder.resolve() in Path(args.output).resolve().parents:
        raise InputError(
            "would hold the output, and is removed at the end", path=folder, remedy="name another"
        )
    if args.engine == "spark":
        from fofe.spark.session import make_session
        from fofe.spark.wiki import label_dump as label_with_spark

        summary = label_with_spark(make_session(args.master), settings, args.output, folder)
    else:
        with _Bar() as bar:
            summary = label_dump(settings, args.output, folder, workers=args.workers, watch=bar.update)
    _show(summary, as_json=args.json)
    return 0


def _show(summary: Summary, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(summary.to_json(), ensure_ascii=False, indent=2))
        return
    for what, times in sorted(summary.counts.items()):
        print(f"{times} {what}")
    for line in summary.report.lines():
        print(f"fofe: {line}", file=sys.stderr)


class _Bar:
    """Counts parts of 500 pages on a terminal, and nothing in a pipe."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._what = ""

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, what: str, parts: int) -> None:
        if not sys.stderr.isatty():
            return
        if what != self._what:
            from tqdm import tqdm

            self.__exit__()
            self._what = what
            self._bar = tqdm(desc=what, unit=" parts", leave=False, file=sys.stderr)
        self._bar.update(parts - self._bar.n)
