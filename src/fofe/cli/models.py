"""`fofe models`: the models that are installed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fofe.tagging.installed import InstalledModel

DESCRIPTION = """\
List the models that installed packages bring. Wherever a command takes a
model, the name of one of them will do. Nothing is ever downloaded.
"""

EXAMPLES = """\
examples:
  fofe models
  fofe models --json
"""

COLUMNS = ("name", "language", "types", "kinds", "megabytes", "F1", "licence")
TEXTS = tuple(number for number, column in enumerate(COLUMNS) if column != "megabytes")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "models",
        help="list the models that are installed",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    import json

    from fofe.evaluate.tables import table
    from fofe.tagging.installed import INSTALL, installed_models

    models = [_facts(model) for model in installed_models().values()]
    if args.json:
        print(json.dumps(models, indent=2, ensure_ascii=False))
    elif not models:
        print(f"no models are installed ({INSTALL.format('en')} brings one)")
    else:
        print(table(COLUMNS, [_row(model) for model in models], left=TEXTS))
    return 0


def _facts(model: InstalledModel) -> dict[str, Any]:
    from fofe.text.document import split_label

    types, kinds = zip(*map(split_label, model.labels), strict=True)
    size = sum(file.stat().st_size for file in model.path.iterdir() if file.is_file())
    return {
        "name": model.name,
        "language": model.language,
        "types": list(dict.fromkeys(types)),
        "kinds": sorted(set(kinds)),
        "megabytes": round(size / 1e6, 1),
        "f1": model.scores,
        "parts": model.parts,
        "licence": model.licence,
        "package": model.package,
        "path": str(model.path),
    }


def _row(facts: dict[str, Any]) -> tuple[str, ...]:
    return (
        facts["name"],
        facts["language"],
        " ".join(facts["types"]),
        " ".join(facts["kinds"]),
        f"{facts['megabytes']:.1f}",
        ", ".join(f"{_scored(corpus, facts['parts'])} {f1:.2f}" for corpus, f1 in facts["f1"].items()) or "-",
        facts["licence"],
    )


def _scored(corpus: str, parts: dict[str, str]) -> str:
    """The name of a corpus, and the part of it that was scored where that is not the test set."""
    part = parts.get(corpus, "test")
    return corpus if part == "test" else f"{corpus} {part}"
