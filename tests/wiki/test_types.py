from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from fofe.base.errors import InputError
from fofe.base.files import NOT_UTF8, TRUNCATED
from fofe.base.report import Report
from fofe.wiki.types import NO_TAB, NOT_JSON, read_table


def entity(id: str, title: str = "", **relations: list[int]) -> dict[str, object]:
    def statement(item: int) -> dict[str, object]:
        return {"mainsnak": {"snaktype": "value", "datavalue": {"value": {"numeric-id": item}}}}

    links = {"enwiki": {"site": "enwiki", "title": title}, "eswiki": {"title": f"{title} (es)"}}
    claims = {name: [statement(item) for item in items] for name, items in relations.items()}
    return {"id": id, "claims": claims, "sitelinks": links if title else {}}


def read(path: Path, language: str = "en") -> tuple[list[tuple[str, str, str]], Report]:
    report = Report()
    return list(read_table(path, language, report)), report


def test_lines_of_title_and_class(tmp_path: Path) -> None:
    path = tmp_path / "classes.tsv.xz"
    path.write_bytes(
        lzma.compress("\ufeffHoward_Florey\tPathologist\n\nno tab here\nempty\t\n".encode() + b"\xff\tx\n")
    )
    rows, report = read(path)
    assert rows == [("Howard Florey", "table", "pathologist")]
    assert report.counts == {NO_TAB: 2, NOT_UTF8: 1}
    assert report.places[NO_TAB] == [f"{path}:3", f"{path}:4"]


def test_a_truncated_table_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "classes.tsv.xz"
    lines = "".join(f"Title {number * 7919 % 100003}\tcity\n" for number in range(10_000))
    packed = lzma.compress(lines.encode())
    path.write_bytes(packed[: len(packed) // 2])
    rows, report = read(path)
    assert 0 < len(rows) < 10_000
    assert report.counts[TRUNCATED] == 1


def test_a_table_that_cannot_be_unpacked_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "classes.tsv.xz"
    path.write_bytes(lzma.compress(b"Lima\tcity\n")[:10] + b"not packed")
    with pytest.raises(InputError, match="unpacked"):
        read(path)


def test_wikidata_dump_with_superclasses(tmp_path: Path) -> None:
    path = tmp_path / "wikidata.json"
    lines = [
        json.dumps(entity("Q1", "Anna Berg", P31=[5])),
        json.dumps(entity("Q2", "Leeds", P31=[9001])),
        json.dumps(entity("Q9001", P279=[9002])),
        json.dumps(entity("Q9002", P279=[515, 9001])),
        '{"id": "Q3", broken',
        "17",
    ]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
    rows, report = read(path)
    assert rows == [
        ("Anna Berg", "wikidata", "Q5"),
        ("Leeds", "wikidata", "Q9001"),
        ("Leeds", "wikidata", "Q9002"),
        ("Leeds", "wikidata", "Q515"),
    ]
    assert report.counts == {NOT_JSON: 2}
    assert [title for title, *_ in read(path, "es")[0]][:1] == ["Anna Berg (es)"]


def test_an_answer_of_the_wikidata_api(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    item = {"mainsnak": {"datavalue": {"value": {"entity-type": "item", "id": "Q5"}}}}
    nothing = {"mainsnak": {"snaktype": "novalue"}}
    berg = entity("Q1", "Anna Berg") | {"claims": {"P31": [nothing, item]}}
    answer = {"entities": {"Q6": {"id": "Q6", "missing": ""}, "Q1": berg}}
    path.write_text(json.dumps(answer), "utf-8")
    assert read(path)[0] == [("Anna Berg", "wikidata", "Q5")]
