"""`fofe gazetteer`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fofe.cli import main


def test_build_and_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = tmp_path / "names.tsv"
    names.write_text("New York\tLOC\nbroken\nAnna\tPER\nYork\tPER\n", "utf-8")
    output = tmp_path / "names.gazetteer"
    assert main(["gazetteer", "build", str(names), "-o", str(output)]) == 0
    printed = capsys.readouterr()
    assert printed.out == "LOC\t1\nPER\t2\n"
    assert f"1 line without a name, a tab and a type left out (first: {names}:2)" in printed.err
    assert main(["gazetteer", "show", "--json", str(output), "York", "nobody"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "York": {"exact": ["PER"], "folded": ["PER"], "last": ["LOC"]},
        "nobody": {},
    }
    assert main(["gazetteer", "show", str(output), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"LOC": 1, "PER": 2}


def test_titles_are_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "titles.tsv").write_text("Oslo\tcity\nPhoton\tparticle\n", "utf-8")
    titles, output = (str(tmp_path / name) for name in ("titles.tsv", "out"))
    assert main(["gazetteer", "build", "--titles", titles, "-o", output]) == 0
    printed = capsys.readouterr()
    assert printed.out == "GPE\t1\n"
    assert "1 title left out" in printed.err


@pytest.mark.parametrize(
    ("lines", "option", "remark", "remedy"),
    [
        (
            "Oslo\nAnna Berg\n",
            [],
            "2 lines without a name, a tab and a type left out",
            "a line is NAME, a tab",
        ),
        ("", [], "", "a line is NAME, a tab, TYPE"),
        ("--\tPER\n", [], "1 name without a letter or a digit left out", "a line is NAME, a tab, TYPE"),
        ("Photon\tparticle\n", ["--titles"], "1 title left out", "see --mapping and --lang"),
    ],
)
def test_a_gazetteer_of_no_names_is_not_written(
    lines: str,
    option: list[str],
    remark: str,
    remedy: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names, output = tmp_path / "names.tsv", tmp_path / "out"
    names.write_text(lines, "utf-8")
    assert main(["gazetteer", "build", str(names), *option, "-o", str(output)]) == 2
    *told, error = capsys.readouterr().err.splitlines()
    assert remark in "\n".join(told)
    assert error.startswith(f"fofe: {names}: no name was read (")
    assert remedy in error
    assert not output.exists()


def test_the_list_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = tmp_path / "names.tsv"
    names.write_text("Anna\tPER\n", "utf-8")
    assert main(["gazetteer", "build", str(names), "-o", str(names)]) == 2
    assert "names.tsv: is the input itself (choose another name)" in capsys.readouterr().err
    assert names.read_text("utf-8") == "Anna\tPER\n"


def test_a_missing_source_ends_with_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gazetteer", "build", str(tmp_path / "none.tsv"), "-o", str(tmp_path / "out")]) == 2
    assert "none.tsv: cannot be read" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
