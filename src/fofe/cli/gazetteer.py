"""Make a gazetteer of names by type, or look into one. A model whose configuration
names it under [model.gazetteer] sees which fragments are names of which types,
and learns how much that is worth.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.cli._command import command, flag, group, option
from fofe.cli._io import print_result, refuse_input, say_report
from fofe.cli._options import JSON, output


@command(
    "make a gazetteer from lists",
    option("sources SOURCE", "names with types; with --titles: classes of pages", nargs="+"),
    output("FILE", "the gazetteer"),
    flag("--titles", "the sources are Wikipedia dumps, title-class lists or Wikidata"),
    option("--mapping FILE", "with --titles: from classes to types (default: built in)"),
    option("--lang L", "with --titles: the language", default="en"),
)
def build(args: argparse.Namespace) -> None:
    """Make a gazetteer. A source is a list with a line `name<TAB>type` for each name.
    With --titles the sources are those of fofe corpus wiki: Wikipedia dumps, whose
    titles and redirects are names, lists of title<TAB>class, or Wikidata JSON; types
    come from the pages and from the mapping. Sources may be packed (gz, bz2, xz).
    Lines that cannot be used are skipped and counted.

    Examples:
      fofe gazetteer build people.tsv places.tsv.gz -o names.gazetteer
      fofe gazetteer build --titles enwiki.xml.bz2 titles.tsv.xz -o names.gazetteer
      fofe gazetteer build --titles eswiki.xml.bz2 --lang es --mapping my.toml -o es.gazetteer
    """
    from fofe.features.gazetteer import TypedName, build_gazetteer, read_names, save_gazetteer

    refuse_input(args.output, [*args.sources, args.mapping])
    report = Report()
    names: Iterable[TypedName] = (name for source in args.sources for name in read_names(source, report))
    if args.titles:
        from fofe.wiki.types import titled_names

        names = titled_names(args.sources, args.lang, args.mapping, report)
    gazetteer = build_gazetteer(names, report, [Path(source).name for source in args.sources])
    say_report(report)
    if not gazetteer.counts:
        remedy = "a line is NAME, a tab, TYPE"
        if args.titles:
            remedy = "no page was of a class that the mapping gives a type: see --mapping and --lang"
        raise InputError("no name was read", path=", ".join(args.sources), remedy=remedy)
    save_gazetteer(gazetteer, args.output)
    for type, count in gazetteer.counts.items():
        print(f"{type}\t{count}")


@command(
    "look into a gazetteer",
    option("gazetteer FILE", "a gazetteer"),
    option("names NAME", "names to look up", nargs="*"),
    JSON,
)
def show(args: argparse.Namespace) -> None:
    """Show how many names of each type a gazetteer has; or, for given names, the types
    that they match: exactly, in any case, or as the last word of a name.

    Examples:
      fofe gazetteer show names.gazetteer
      fofe gazetteer show names.gazetteer "Bergen" "BERGEN"
    """
    from fofe.features.gazetteer import describe, load_gazetteer

    names = load_gazetteer(args.gazetteer)
    lines = [f"{type}\t{count}" for type, count in names.counts.items()]
    data: dict[str, Any] = {"counts": names.counts, "keys": len(names.table), "sources": list(names.sources)}
    if args.names:
        data = {name: describe(names, name) for name in args.names}
        lines = [
            "\t".join([name, *(f"{kind}: {', '.join(types)}" for kind, types in kinds.items())])
            for name, kinds in data.items()
        ]
    print_result(args, "\n".join(lines), data)


gazetteer = group(__name__, __doc__, "make a gazetteer of names, or look into one", build, show)
