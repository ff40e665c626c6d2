"""The options by which commands say how a corpus is to be read."""

from __future__ import annotations

import argparse
from typing import Any


def add_corpus_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the columns and the language of a corpus."""
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--token-column", type=int, metavar="N", help="CoNLL column of the words, from 0 (default: the first)"
    )
    group.add_argument(
        "--tag-column", type=int, metavar="N", help="CoNLL column of the tags, from 0 (default: the last, -1)"
    )
    group.add_argument(
        "--comments",
        action=argparse.BooleanOptionalAction,
        help="CoNLL lines that begin with # are comments, or never are (default: those without a tag are)",
    )
    group.add_argument("--lang", metavar="L", help="language by which text without tokens is tokenised")
    group.add_argument(
        "--retokenise",
        action="store_true",
        default=None,
        help="cut the sentences of the corpus into tokens anew, by the rules of the language",
    )


def corpus_options(args: argparse.Namespace) -> dict[str, Any]:
    """The given ones of these options, by the names that `read_corpus` has for them."""
    options = {
        "token_column": args.token_column,
        "tag_column": args.tag_column,
        "comments": args.comments,
        "language": args.lang,
        "retokenise": args.retokenise,
    }
    return {name: value for name, value in options.items() if value is not None}
