"""`fofe gazetteer`: lists of names as a feature for models."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fofe.base.errors import InputError
from fofe.cli._outputs import refuse_input

if TYPE_CHECKING:
    from fofe.base.report import Report
    from fofe.features.gazetteer_file import Typed

DESCRIPTION = """\
Make a gazetteer of names by type, or look into one. A model whose
configuration names it under [model.gazetteer] sees which fragments are names
of which types, and learns what that is worth.
"""

EXAMPLES = """\
examples:
  fofe gazetteer build names.tsv -o names.gazetteer
  fofe gazetteer build --titles enwiki.xml.bz2 titles.tsv.xz -o names.gazetteer
  fofe gazetteer show names.gazetteer "Bergen" "Anna Berg"
"""

BUILD = """\
Make a gazetteer. A source is a list with a line `name<TAB>type` for each name.
With --titles the sources are what fofe wiki label takes: Wikipedia dumps, whose
titles and redirects are names, lists of title<TAB>class, or Wikidata JSON; types
come from the pages and from the mapping. Sources may be packed (gz, bz2, xz).
What cannot be used is counted and left out.
"""

BUILD_EXAMPLES = """\
examples:
  fofe gazetteer build people.tsv places.tsv.gz -o names.gazetteer
  fofe gazetteer build --titles enwiki.xml.bz2 titles.tsv.xz -o names.gazetteer
  fofe gazetteer build --titles eswiki.xml.bz2 --lang es --mapping my.toml -o es.gazetteer
"""

SHOW = """\
Tell how many names of each type a gazetteer has; or, for names that are given,
which types they match: exactly, in any case, or as the last word of a name.
"""

SHOW_EXAMPLES = """\
examples:
  fofe gazetteer show names.gazetteer
  fofe gazetteer show names.gazetteer "Bergen" "BERGEN"
"""

_NAME_LINE = "a line is NAME, a tab, TYPE"
_TITLE_LINE = "no page was of a class that the mapping gives a type: see --mapping and --lang"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "gazetteer",
        help="make a gazetteer of names, or look into one",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    build = actions.add_parser(
        "build",
        help="make a gazetteer from lists",
        description=BUILD,
        epilog=BUILD_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    build.add_argument(
        "sources", nargs="+", metavar="SOURCE", help="names with types; with --titles: what pages are"
    )
    build.add_argument("-o", "--output", required=True, metavar="FILE", help="the gazetteer")
    build.add_argument(
        "--titles", action="store_true", help="the sources are Wikipedia dumps, title-class lists or Wikidata"
    )
    build.add_argument(
        "--mapping", metavar="FILE", help="with --titles: from classes to types, instead of what is shipped"
    )
    build.add_argument("--lang", default="en", help="with --titles: the language (default: en)")
    build.set_defaults(run=run_build)
    show = actions.add_parser(
        "show",
        help="look into a gazetteer",
        description=SHOW,
        epilog=SHOW_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    show.add_argument("gazetteer", metavar="FILE", help="a gazetteer")
    show.add_argument("names", nargs="*", metavar="NAME", help="names to look up")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.set_defaults(run=run_show)


def run_build(args: argparse.Namespace) -> int:
    """Write the gazetteer and say what is in it."""
    from fofe.base.report import Report
    from fofe.features.gazetteer_file import build_gazetteer, save_gazetteer

    refuse_input(args.output, args.sources)
    report = Report()
    sources = [Path(source).name for source in args.sources]
    gazetteer = build_gazetteer(_names(args, report), report, sources)
    for line in report.lines():
        print(line, file=sys.stderr)
    if not gazetteer.counts:
        remedy = _TITLE_LINE if args.titles else _NAME_LINE
        raise InputError("no name was read", path=", ".join(args.sources), remedy=remedy)
    save_gazetteer(gazetteer, args.output)
    for type, count in gazetteer.counts.items():
        print(f"{type}\t{count}")
    return 0


def _names(args: argparse.Namespace, report: Report) -> Iterator[Typed]:
    if args.titles:
        from fofe.wiki.titled_names import titled_names

        yield from titled_names(args.sources, args.lang, args.mapping, report)
        return
    from fofe.features.gazetteer_file import read_names

    for source in args.sources:
        yield from read_names(source, report)


def run_show(args: argparse.Namespace) -> int:
    """Print the counts, or what the names match."""
    from fofe.features.gazetteer_file import describe, load_gazetteer

    gazetteer = load_gazetteer(args.gazetteer)
    if args.names:
        found = {name: describe(gazetteer, name) for name in args.names}
        lines = [
            "\t".join([name, *(f"{kind}: {', '.join(types)}" for kind, types in kinds.items())])
            for name, kinds in found.items()
        ]
        print(json.dumps(found, ensure_ascii=False) if args.json else "\n".join(lines))
        return 0
    facts = {"counts": gazetteer.counts, "keys": len(gazetteer.table), "sources": list(gazetteer.sources)}
    if args.json:
        print(json.dumps(facts, ensure_ascii=False))
    else:
        print("\n".join(f"{type}\t{count}" for type, count in gazetteer.counts.items()))
    return 0
