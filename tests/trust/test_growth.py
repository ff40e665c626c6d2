"""Input of twice the length takes about twice the time: for every parser, whatever is repeated."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fofe.base.errors import FofeError
from fofe.base.report import Report
from fofe.tagging.rules import SHIPPED, Rules
from fofe.text.detect import detect
from fofe.text.document import Document
from fofe.text.tokenise import tokeniser
from fofe.wiki.languages import wiki_language
from fofe.wiki.markup import parse

if TYPE_CHECKING:
    from tests.conftest import LeastSeconds

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SIZE = 10_000
ENOUGH = 0.02
"""Seconds for twice the size: who is faster than that need not be measured any further."""
TRIES = 4
"""One measurement may be wrong on a busy machine, but not several."""
PIECES = (
    "SEED",  # the file itself
    *["[", "{", "<", "(", ")", "&", "'", '"', "\\", "\n", "\t", "=", "#", "|", "-", ".", "@", "+", "/", ":"],
    "a ", "A. ", "9", "1,", "a.", "a-", "a@", "\u0301", "，", "中", "😀", " ", "\r", "'''", '"""', "\\u",
    "[[", "{{", '{"a":', "<a>", "<a ", "<P>", "</", "<!--", "<!---->", "<?>", "<?a?>", "&#", "[a.",
    "a\t", "a=1\n", "[[a]]\n", "a O\n",
    "a B-PER\n\n", "T1\tPER 0 1\ta\n", "<quote>", "<post author='", "http://a", "www.", "+49 ", "DE12 ",
    "1 000", "one ", "12 de ", "12 May ", "十", "5月",
)  # fmt: skip
READERS = (
    "conll", "jsonl", "label-studio", "doccano", "brat", "tag", "text", "tab", "titles", "ltf", "source-DF",
    "source-NW", "toml", "config", "rules", "mapping", "names", "vectors-text", "dump", "classes", "wikidata",
    "journal",
)  # fmt: skip
TEXTS: dict[str, Callable[[str], object]] = {
    **{f"tokens-{code}": tokeniser(code).document for code in ("en", "es", "zh")},
    **{name: partial(lambda rules, text: rules.applied(Document(text)), Rules.of(name)) for name in SHIPPED},
    "markup": lambda text: parse(text, wiki_language("en"), Report()),
    "language": detect,
}


def slow(read: Callable[[int, str], Callable[[], object]], least_seconds: LeastSeconds) -> list[str]:
    """The pieces of which twice as many take three times as long, whenever that is measured."""

    def grows(piece: str) -> bool:
        longer = least_seconds(read(2 * SIZE, piece), ENOUGH)
        return longer > ENOUGH and longer > 3 * least_seconds(read(SIZE, piece))

    return [piece for piece in PIECES if all(grows(piece) for _ in range(TRIES))]


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str, least_seconds: LeastSeconds) -> None:
    def read(size: int, piece: str) -> Callable[[], object]:
        text = piece * (size // len(piece))
        return lambda: TEXTS[name](text)

    assert not slow(read, least_seconds)


@pytest.mark.parametrize("name", READERS)
def test_files(
    name: str, least_seconds: LeastSeconds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone, and in the middle of a file that can be read."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    reader: Any = next(one for one in importlib.import_module("_readers").readers() if one.name == name)
    path = tmp_path / "folder" / reader.file
    path.parent.mkdir()
    if name == "brat":
        path.with_suffix(".txt").write_text("Anna Berg met Li.", "utf-8")
    seed = reader.seed
    middle = seed.index(b" ", len(seed) // 2) if b" " in seed[len(seed) // 2 :] else len(seed) // 2

    def read(size: int, piece: str) -> Callable[[], None]:
        many = (seed.decode() if piece == "SEED" else piece).encode() * (size // len(piece.encode()))
        content = many[:size] if piece == "SEED" else seed[:middle] + many + seed[middle:]

        def work() -> None:
            path.parent.mkdir(exist_ok=True)
            path.unlink(missing_ok=True)  # some systems wait for the disk when a file is overwritten
            path.write_bytes(content)
            with suppress(FofeError):
                reader.read(path)

        return work

    assert not slow(read, least_seconds)
