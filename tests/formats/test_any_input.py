"""Whatever is in a file, a reader gives documents with sound offsets or an error that names the file."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.formats import Report, read_corpus
from fofe.text.document import Document

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

pieces = st.sampled_from(
    [
        "-DOCSTART-",
        "#",
        "B-PER",
        "I-PER",
        "E-X",
        "O",
        "\t",
        " ",
        "\n",
        "\n\n",
        "\r\n",
        "\0",
        "\ufeff",
        "a",
        "é",
        "T1",
    ]
)
columns = st.lists(pieces, max_size=30).map("".join)

keys = st.sampled_from(["text", "tokens", "sentences", "mentions", "entities", "start", "end", "type", "id"])
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 4), st.floats(), st.sampled_from(["", "a", "a b"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
spans = st.fixed_dictionaries({"start": st.integers(-1, 4), "end": st.integers(-1, 4), "type": scalars})
lines = st.dictionaries(keys, values | st.lists(spans, max_size=2), max_size=4).map(json.dumps)

standoff = st.lists(
    st.sampled_from(["T1\tX 0 1\ta", "T1\tX 0 3\ta b", "T1\tX 1 0\t", "R1 a", "", "\0", "T", "#1", "\t"]),
    max_size=4,
).map("\n".join)


def read_or_fail(path: Path, format: str) -> None:
    documents, problem = [], str(path)
    try:
        documents = list(read_corpus(path, format, Report()))
    except InputError as error:
        problem = str(error)
    assert str(path) in problem
    for document in documents:
        assert_sound(document)


def assert_sound(document: Document) -> None:
    for mention in document.mentions:
        assert 0 <= mention.start < mention.end <= len(document.text)
        assert mention.text == document.text[mention.start : mention.end]
        assert mention.type
    position = 0
    for token in document.tokens:
        assert position <= token.start < token.end <= len(document.text)
        assert token.text == document.text[token.start : token.end]
        position = token.end
    assert all(sentence.tokens for sentence in document.sentences)


@patient
@given(st.one_of(columns.map(str.encode), st.binary(max_size=40)))
def test_columns(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus")
        path.write_bytes(content)
        read_or_fail(path, "conll")


@patient
@given(st.one_of(st.lists(lines, max_size=2).map("\n".join).map(str.encode), st.binary(max_size=40)))
def test_json_lines(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus")
        path.write_bytes(content)
        read_or_fail(path, "jsonl")


@patient
@given(st.one_of(standoff.map(str.encode), st.binary(max_size=40)))
def test_annotations(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "d.txt").write_bytes(b"a b")
        Path(folder, "d.ann").write_bytes(content)
        read_or_fail(Path(folder, "d.ann"), "brat")


@pytest.mark.parametrize("format", ["conll", "jsonl", "label-studio", "doccano", None])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Rio B-LOC\n".encode("utf-16"), "is UTF-16, not text in UTF-8 .*iconv -f utf-16"),
        (gzip.compress(b"Rio B-LOC\n", mtime=0), "is packed by gzip, .*zcat"),
    ],
)
def test_what_is_no_text_is_an_error(
    tmp_path: Path, format: str | None, content: bytes, message: str
) -> None:
    path = tmp_path / "corpus"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"corpus: {message}"):
        list(read_corpus(path, format))
