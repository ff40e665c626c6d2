"""Gazetteers from lists, on disk and back."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.features.gazetteer import (
    build_gazetteer,
    describe,
    load_gazetteer,
    read_names,
    save_gazetteer,
)
from fofe.wiki.types import names_of_title, titled_names


def test_a_gazetteer_comes_back_from_disk_as_it_was(tmp_path: Path) -> None:
    names = [("New York", "LOC"), ("Anna Berg", "PER"), ("York", "PER"), ("Anna  Berg", "PER"), ("--", "LOC")]
    report = Report()
    made = build_gazetteer(names, report, ["names.tsv"])
    save_gazetteer(made, tmp_path / "names.gazetteer")
    loaded = load_gazetteer(tmp_path / "names.gazetteer")
    assert loaded.counts == {"LOC": 1, "PER": 2}
    assert loaded.sources == ("names.tsv",)
    assert describe(loaded, "York") == {"exact": ["PER"], "folded": ["PER"], "last": ["LOC"]}
    assert describe(loaded, "NEW YORK") == {"folded": ["LOC"]}
    assert describe(loaded, "Leeds") == {}
    assert report.counts == {"names without a letter or a digit left out": 1}


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_lists_may_be_packed_and_bad_lines_are_counted(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "names.tsv"
    path.write_bytes(
        pack("Oslo\tLOC\nno tab\n\nÆrø\tLOC\n\tLOC\na\tb\tc\n".encode() + b"\xff\tLOC\nBerg\tPER")
    )
    report = Report()
    assert list(read_names(path, report)) == [("Oslo", "LOC"), ("Ærø", "LOC"), ("Berg", "PER")]
    assert report.counts == {
        "lines without a name, a tab and a type left out": 3,
        "lines not in UTF-8 left out": 1,
    }
    assert report.places["lines without a name, a tab and a type left out"][0] == f"{path}:2"


def test_a_cut_off_list_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv.bz2"
    whole = bz2.compress(b"".join(b"Name%d\tLOC\n" % number for number in range(300_000)))
    path.write_bytes(whole[: len(whole) // 2])
    report = Report()
    read = list(read_names(path, report))
    assert 0 < len(read) < 300_000
    assert report.counts["truncated compressed files, read up to the break"] == 1


DUMP = """<mediawiki xml:lang="en">
<page><title>Leeds</title><ns>0</ns><revision><text>'''Leeds''' is a city in England.</text></revision></page>
<page><title>Loidis</title><ns>0</ns><redirect title="Leeds"/>
<revision><text>#REDIRECT [[Leeds]]</text></revision></page>
<page><title>Talk:Leeds</title><ns>1</ns><revision><text>Hm.</text></revision></page>
</mediawiki>"""


def test_titles_become_names_of_the_types_of_their_classes(tmp_path: Path) -> None:
    titles = tmp_path / "titles.tsv"
    lines = ["Paris (mythology)\tprince", "Springfield, Illinois\tcity", "Photon\tparticle", "no tab"]
    titles.write_text("\n".join(lines), "utf-8")
    dump = tmp_path / "dump.xml.bz2"
    dump.write_bytes(bz2.compress(DUMP.encode()))
    report = Report()
    named = list(titled_names([titles, dump], "en", None, report))
    assert named == [
        ("Paris", "PER"),
        ("Springfield, Illinois", "GPE"),
        ("Springfield", "GPE"),
        ("Leeds", "GPE"),
        ("Loidis", "GPE"),
    ]
    assert sum(count for what, count in report.counts.items() if what.startswith("titles left out")) == 1


def test_users_may_bring_their_own_mapping(tmp_path: Path) -> None:
    (tmp_path / "titles.tsv").write_text("Photon\tparticle\n", "utf-8")
    (tmp_path / "mapping.toml").write_text('[classes.en]\nTHING = ["particle"]\n', "utf-8")
    sources, mapping = [tmp_path / "titles.tsv"], tmp_path / "mapping.toml"
    assert list(titled_names(sources, "en", mapping, Report())) == [("Photon", "THING")]


@pytest.mark.parametrize("title", ["(What's the Story)", ", x", "Anna Berg"])
def test_odd_titles_give_names_that_are_not_empty(title: str) -> None:
    assert all(names_of_title(title))


def test_what_is_no_gazetteer_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such gazetteer"):
        load_gazetteer(tmp_path / "none")
    broken = tmp_path / "broken"
    broken.write_bytes(b"Oslo\tLOC\n")
    with pytest.raises(InputError, match=r"is no gazetteer \(make one .*fofe gazetteer build"):
        load_gazetteer(broken)
    whole = tmp_path / "whole"
    save_gazetteer(build_gazetteer([("Oslo", "LOC")], Report()), whole)
    broken.write_bytes(whole.read_bytes()[:-4])
    with pytest.raises(InputError, match="is broken"):
        load_gazetteer(broken)


def test_too_many_types_are_told() -> None:
    with pytest.raises(InputError, match="65 types"):
        build_gazetteer([("Oslo", str(number)) for number in range(65)], Report())
