"""Files that readers cannot use: an error that names the file, never a traceback."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.base.settings import parse_json, read_toml
from fofe.formats.vectors import read_vectors
from fofe.kbp.entities import Titles
from fofe.kbp.source import Reading, read_sources
from fofe.tagging.rules import Rules
from fofe.training.config import load_config
from fofe.wiki.dump import read_pages
from fofe.wiki.types import read_table

if TYPE_CHECKING:
    from tests.trust.conftest import Refusal


@pytest.mark.parametrize("value", ["[" * 100_000, "9" * 5_000], ids=["deep", "long"])
def test_deep_nesting_and_long_integers(value: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(f"key = {value}", "utf-8")
    with pytest.raises(InputError, match=r"x.toml: is not valid TOML"):
        read_toml(file)
    with pytest.raises(InputError, match=r"x.json: is not JSON"):
        parse_json(value, "x.json")


@pytest.mark.parametrize("part", [".a", ' . "a"', ".'a'"])
def test_keys_of_many_parts(part: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    for key in (
        f"training.rate{part * 3_000} = 1",
        f"[training{part * 3_000}]",
        f"a = {{b{part * 3_000} = 1}}",
    ):
        file.write_text(key, "utf-8")
        with pytest.raises(InputError, match=r"x.toml: is not valid TOML: a key has more than 64 parts"):
            load_config(file)


def test_integers_that_are_no_floats(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(f"[training]\nrate = 1{'0' * 400}\n", "utf-8")
    with pytest.raises(InputError, match=r"x.toml: training.rate is too large"):
        load_config(file)


@pytest.mark.parametrize("header", ["1 99999999999999999999", f"1 {'9' * 5_000}", "99999999999 999999999999"])
def test_headers_of_vectors(header: str, tmp_path: Path) -> None:
    file = tmp_path / "x.bin"
    file.write_bytes(header.encode() + b"\nword \xff\xfe\xff\xfe\n")
    with pytest.raises(InputError, match=r"x.bin"):
        read_vectors(file)


def test_members_of_npz_files(tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("words", b"not an array")
    with pytest.raises(InputError, match=r"x.npz: is not an npz file of word vectors"):
        read_vectors(file)
    claimed = np.lib.format.magic(1, 0)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({1 << 25}, {1 << 25})}}\n".encode()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("words.npy", claimed + len(header).to_bytes(2, "little") + header)
    with pytest.raises(InputError, match=r"x.npz: is not an npz file of word vectors"):
        read_vectors(file)


@pytest.mark.parametrize(
    "claims", [5, {"P31": 5}, {"P279": 5}, {"P279": {"a": 1}}, {"P279": [5]}, {"P279": None}]
)
def test_statements_of_wikidata(claims: object, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    entity = {"id": "Q1", "claims": claims, "sitelinks": {"enwiki": {"title": "A"}}}
    file.write_text(json.dumps(entity) + "\n", "utf-8")
    assert list(read_table(file, "en", Report())) == []


@pytest.mark.parametrize("namespace", ["5-", "9" * 5_000, "²"])
def test_namespaces_of_pages(namespace: str, tmp_path: Path) -> None:
    file = tmp_path / "x.xml"
    page = f"<page><title>A</title><ns>{namespace}</ns><text>b</text></page>"
    file.write_text(f"<mediawiki>{page}</mediawiki>", "utf-8")
    assert [page.namespace for page in read_pages(file, Report())] == [0]


def test_frequencies_of_titles(tmp_path: Path) -> None:
    file = tmp_path / "x.tsv"
    file.write_text(f"E1\tBergen\t{'9' * 5_000}\n", "utf-8")
    with pytest.raises(InputError, match=r"x.tsv:1: is no entry of a table of titles"):
        Titles.read(file)


@pytest.mark.parametrize("length", ["9" * 5_000, "900000000000"])
@pytest.mark.parametrize("place", ["start_char", "raw_text_char_length"])
def test_lengths_of_ltf_that_no_text_backs(length: str, place: str, tmp_path: Path) -> None:
    file = tmp_path / "x.ltf.xml"
    places = {"start_char": "0", "raw_text_char_length": "4"} | {place: length}
    end = int(length) + 3 if len(length) < 20 and place == "start_char" else 3
    segment = f'<SEG id="s" start_char="{places["start_char"]}" end_char="{end}">'
    segment += "<ORIGINAL_TEXT>Anna</ORIGINAL_TEXT>"
    head = f'<LCTL_TEXT><DOC id="d" raw_text_char_length="{places["raw_text_char_length"]}"><TEXT>'
    file.write_text(f"{head}{segment}</SEG></TEXT></DOC></LCTL_TEXT>", "utf-8")
    (found,) = read_sources(file, Reading(), Report())
    assert isinstance(found, InputError)


@pytest.mark.parametrize("pattern", ["a{99999999999}", "(" * 5_000 + ")" * 5_000], ids=["repeated", "nested"])
def test_patterns_of_rules(pattern: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(f"[[rule]]\nname = 'a'\ntype = 'GPE'\npattern = '{pattern}'\n", "utf-8")
    with pytest.raises(InputError, match=r"x.toml: .*the pattern of rule 'a' is not valid"):
        Rules.of(file)


def test_a_search_that_was_cut_off_in_a_line(tiny_config: Path, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    from fofe.tune.search import JOURNAL, Search
    from fofe.tune.space import choices

    search = Search(str(tiny_config), {}, {"training.epochs": choices([1])}, str(tmp_path))
    search.run(0, 1, print)
    log = tmp_path / JOURNAL
    whole = log.read_bytes()
    for written in (whole[:-20], whole + b'{"op_code": 4, "wor'):
        log.write_bytes(written)
        search.run(0, 1, print)
        assert all(json.loads(line) for line in log.read_bytes().splitlines())
    log.write_bytes(whole.replace(b"{", b"["))
    with pytest.raises(InputError, match=r"search.jsonl: is broken: .*\(choose another directory\)"):
        search.run(0, 1, print)


def test_spans_past_the_end_of_a_docbin(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    from spacy.tokens import Doc, DocBin
    from spacy.vocab import Vocab

    from fofe.formats.spacy import read

    vocabulary = Vocab()
    long = Doc(vocabulary, ["a"] * 9)
    long.spans["fofe"] = [long[5:9]]
    stored = DocBin(docs=[Doc(vocabulary, ["a"])])
    stored.span_groups[0] = long.spans.to_bytes()
    stored.to_disk(tmp_path / "x.spacy")
    with pytest.raises(InputError, match=r"x.spacy"):
        list(read(tmp_path / "x.spacy", Report()))


def test_pages_of_parquet_files(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    from fofe.tagging.parquet import _batches

    file = tmp_path / "x.parquet"
    table = pa.table({"text": [f"text {number}" for number in range(5_000)]})
    write_table(table, file)
    data = bytearray(file.read_bytes())
    data[4:2_000] = bytes(1_996)
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"x.parquet: is broken"):
        list(_batches([str(file)], table.schema))


@pytest.mark.parametrize("command", ["compress", "average"])
def test_a_full_disk(command: str, tiny_path: Path, tmp_path: Path, refusal: Refusal) -> None:
    models = [tiny_path] * (2 if command == "average" else 1)
    refusal("model", command, *models, "-o", tmp_path / "out", names="out", file_size=4096)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_under_a_database(tmp_path: Path, refusal: Refusal) -> None:
    (tmp_path / "dump.xml").write_text(
        "<mediawiki><page><title>Lima</title><ns>0</ns><revision><text>Lima.</text></revision></page></mediawiki>",
        "utf-8",
    )
    refusal(
        "corpus", "wiki", tmp_path / "dump.xml", "-o", tmp_path / "out", names="types.sqlite", file_size=4096
    )
    assert not (tmp_path / "out").exists()
