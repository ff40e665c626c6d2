"""Options that several commands share, and the types of their values."""

import argparse
import math
from collections.abc import Callable
from typing import Any

from fofe.base.errors import FofeError
from fofe.cli._command import Add, flag, option, repeated, titled


def at_least(least: int) -> Callable[[str], int]:
    """The type of a whole number that is not smaller."""

    def parse(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} on")
        return int(text)

    return parse


count, natural = at_least(1), at_least(0)


def numbers(name: str, text: str | None) -> tuple[float, ...]:
    """The numbers of an option such as `--weights 1,0.5`; none if it was not given."""
    try:
        given = tuple(float(number) for number in text.split(",")) if text else ()
    except ValueError:
        given = (math.nan,)
    if not all(map(math.isfinite, given)):
        raise FofeError(f"{name} {text} is not a list of numbers (for example 1,0.5)")
    return given


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


A_MODEL = "a model directory, the name of an installed model, or hf://OWNER/NAME"

MODEL = option("model MODEL", A_MODEL)
JSON = flag("--json", "print JSON")
FORMAT = option("--format F", "format of the corpora (default: recognised)")
WORKERS = option("--workers N", "number of processes", type=count, default=1)
MASTER = option("--master M", "with --engine spark: local[4], spark://HOST:PORT ... (default: local[*])")
SET = repeated("--set KEY=VALUE", "replace a value of the configuration (TOML syntax)")

THRESHOLD = option("--threshold P", "lowest score of a mention", type=float)
AGREEMENT = option(
    "--agreement W", "weight of the types of the same text in nearby sentences; 0 ignores them", type=float
)
SCHEME = option(
    "--scheme CORPUS", "annotate like this training corpus; fofe model inspect lists those of a model"
)
RULES = option(
    "--rules SET",
    "also follow these rules: sets of the package (contact, dates, money), TOML files; may be repeated",
    nargs="+",
    action="append",
    default=[],
)
AS = option(
    "--as CORPUS",
    "score the model by the labels and the annotation scheme of a corpus that it was trained on;"
    " data is the name of the one under [data]",
    dest="scheme",
)
MAP = repeated(
    "--map LABEL=L,L...",
    "which labels of the model a label of the corpus stands for; if none, it is left out",
)
READING = titled(
    "reading",
    option("--token-column N", "CoNLL column of the words, from 0 (default: the first)", type=int),
    option("--tag-column N", "CoNLL column of the tags, from 0 (default: the last, -1)", type=int),
    option("--tag-names T,T,...", "names of Hugging Face tags that are numbers, from 0", type=_names),
    option("--[no-]comments", "whether CoNLL lines that begin with # are comments (default: if without tag)"),
    option("--lang L", "language by which text without tokens is tokenised", dest="language"),
    flag("--retokenise", "tokenise sentences again, by the rules of the language", default=None),
)


def output(metavar: str, help: str, *, required: bool = True) -> Add:
    """`-o`, the file or directory to write."""
    return option(f"-o --output {metavar}", help, required=required)


def seed(default: int) -> Add:
    """`--seed` of everything that is drawn at random."""
    return option("--seed N", "seed of all random draws", type=natural, default=default)


def given(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """The options of these names that were given, by their names."""
    return {name: value for name in names if (value := getattr(args, name, None)) is not None}


def decoding_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of `Model.with_options` that were given."""
    decoding = ("threshold", "strategy", "nested", "agreement", "names")
    return given(args, *decoding, "alternatives", "for_recall", "exact", "scheme")


def rules_and_inputs(args: argparse.Namespace, inputs: list[str]) -> tuple[list[str], list[str]]:
    """What `--rules` names, and the inputs: behind a set, they look as if they were others."""
    from fofe.tagging.rules import SHIPPED, Rules

    rules = []
    for first, *others in args.rules:
        known = [word for word in others if word in SHIPPED or word.endswith(".toml")]
        rules += [first, *known]
        inputs = [*inputs, *(word for word in others if word not in known)]
    Rules.of(*rules)  # an error now, not in every process
    return rules, inputs


def reading_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of `READING` that were given, by their names in `read_corpus`."""
    return given(args, "token_column", "tag_column", "tag_names", "comments", "language", "retokenise")


def overrides(args: argparse.Namespace) -> dict[str, Any]:
    """The values of `--set`, by their dotted keys."""
    from fofe.training.config import parse_setting

    return dict(parse_setting(setting) for setting in args.set)
