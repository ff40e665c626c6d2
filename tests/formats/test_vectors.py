"""Word vector files of every kind, against gensim, and broken ones."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fofe.base.arrays import FloatArray
from fofe.base.errors import InputError
from fofe.formats.vectors import read_vectors

WORDS = ["the", "Straße", "北京", "😀", "<num4>", "a\u00a0b", "0", "1.5", "-"]


@pytest.fixture
def table() -> FloatArray:
    return np.random.default_rng(1).normal(size=(len(WORDS), 7)).astype(np.float32)


def as_text(table: FloatArray, *, header: bool = True, line_end: str = "\n") -> bytes:
    lines = [f"{len(WORDS)} {table.shape[1]}"] if header else []
    for word, row in zip(WORDS, table, strict=True):
        lines.append(" ".join([word, *(f"{float(number):.9g}" for number in row)]))
    return "".join(line + line_end for line in lines).encode()


def as_binary(table: FloatArray, *, newline: bool = True) -> bytes:
    data = f"{len(WORDS)} {table.shape[1]}\n".encode()
    for word, row in zip(WORDS, table, strict=True):
        data += word.encode() + b" " + row.tobytes() + (b"\n" if newline else b"")
    return data


KINDS: dict[str, Any] = {
    "word2vec text": as_text,
    "fastText, a space at each end of line": lambda table: as_text(table, line_end=" \n"),
    "GloVe": lambda table: as_text(table, header=False),
    "Windows line ends": lambda table: as_text(table, line_end="\r\n"),
    "word2vec binary": as_binary,
    "binary without newlines": lambda table: as_binary(table, newline=False),
    "gzipped text": lambda table: gzip.compress(as_text(table)),
    "gzipped binary": lambda table: gzip.compress(as_binary(table)),
    "text packed by xz": lambda table: lzma.compress(as_text(table)),
    "gzipped GloVe": lambda table: gzip.compress(as_text(table, header=False)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_same_words_and_vectors(kind: str, table: FloatArray, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(KINDS[kind](table))
    found = read_vectors(path)
    assert found.words == WORDS
    assert found.dimension == 7
    assert found.vectors.dtype == np.float32
    assert np.array_equal(found.vectors, table)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # gensim leaves a file open
@pytest.mark.parametrize(
    "kind", ["word2vec text", "word2vec binary", "gzipped text", "gzipped binary", "GloVe"]
)
def test_what_gensim_reads_is_read_the_same(kind: str, table: FloatArray, tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    path = tmp_path / ("vectors.gz" if "gzip" in kind else "vectors.txt")
    path.write_bytes(KINDS[kind](table))
    keyed = models.KeyedVectors.load_word2vec_format(
        str(path), binary="binary" in kind, no_header=kind == "GloVe"
    )
    found = read_vectors(path)
    assert found.words == keyed.index_to_key
    assert np.array_equal(found.vectors, keyed.vectors)


@pytest.mark.parametrize("binary", [False, True])
def test_what_gensim_writes_is_read(binary: bool, table: FloatArray, tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    keyed = models.KeyedVectors(7)
    keyed.add_vectors(WORDS, table)
    keyed.save_word2vec_format(str(tmp_path / "vectors"), binary=binary)
    found = read_vectors(tmp_path / "vectors")
    assert found.words == WORDS
    assert np.array_equal(found.vectors, table)


def test_words_with_spaces_keep_their_vectors(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text("the 1 2 3\nat name@domain.com 4 5 6\n. . . 7 8 9\n", encoding="utf-8")
    found = read_vectors(path)
    assert found.words == ["the", "at name@domain.com", ". . ."]
    assert found.vectors.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_of_a_word_listed_twice_the_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("3 2\na 1 2\nb 3 4\na 5 6\n", encoding="utf-8")
    found = read_vectors(path)
    assert found.words == ["a", "b"]
    assert found.vectors.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", None, "is empty"),
        (b"\n", None, "is empty"),
        (b"0 2\n", 1, "0 words"),
        (b"3 2\na 1 2\nb 3 4\n", 1, "its header says 3 words, not 2"),
        (b"1 2\na 1 2\nb 3 4\n", 1, "its header says 1 word, not 2"),
        (b"2 3\na 1 2\nb 3 4\n", 2, "3 numbers were expected, not a word and 2 fields"),
        (b"2 1\na 1 2\nb 3 4\n", 2, "a word and 1 number were expected, not a word and 2 fields"),
        (b"2 2\na 1 2\nb 3\n", 3, "2 numbers were expected, not a word and 1 field"),
        (b"a 1 2\nb 3 4 5\n", 2, "2 numbers were expected, not a word and 3 fields"),
        (b"a 1 2\nb 3 four\n", 2, "a word and 2 numbers were expected"),
        (b"a\nb\n", 1, "this is no file of word vectors"),
        (b"Bob Hill\tPER\n", 1, "this is no file of word vectors"),
        ("a 1 2\nFrançois 3 4\n".encode("latin-1"), 2, "is not UTF-8"),
    ],
)
def test_broken_text_is_an_error_that_names_the_place(
    content: bytes, line: int | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_vectors(path)
    assert caught.value.path == path
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("header", "cut", "message"),
    [
        (b"9 7\n", 20, "ends or breaks in word 9 of the 9 x 7"),
        (b"9 7\n", 200, "ends or breaks in word"),
        (b"10 7\n", 0, "ends or breaks in word 10"),
        (b"8 7\n", 0, "goes on after the 8 words"),
        (b"9 8\n", 0, "ends or breaks|goes on after"),
        (b"9 6\n", 0, "ends or breaks|goes on after"),
        (b"999999999999999 7\n", 0, "ends or breaks in word 10 of the 999999999999999 x 7"),
        (b"9 99999999999999\n", 0, "ends or breaks in word 1"),
    ],
)
def test_broken_binary_is_an_error(
    header: bytes, cut: int, message: str, table: FloatArray, tmp_path: Path
) -> None:
    path = tmp_path / "vectors.bin"
    body = as_binary(table).split(b"\n", 1)[1]
    path.write_bytes(header + body[: len(body) - cut])
    with pytest.raises(InputError, match=message) as caught:
        read_vectors(path)
    assert caught.value.path == path


def test_broken_gzip_is_an_error(table: FloatArray, tmp_path: Path) -> None:
    packed = gzip.compress(as_text(table))
    path = tmp_path / "vectors.gz"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match=r"vectors\.gz: cannot be read"):
        read_vectors(path)
    path.write_bytes(packed[:30] + bytes(40) + packed[70:])
    with pytest.raises(InputError, match=r"vectors\.gz: "):
        read_vectors(path)


def test_missing_file_and_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none: cannot be read: No such file"):
        read_vectors(tmp_path / "none")
    with pytest.raises(InputError, match="cannot be read"):
        read_vectors(tmp_path)
