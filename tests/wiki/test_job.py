from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fofe.base.errors import InputError
from fofe.base.journal import JOURNAL, Journal
from fofe.base.report import counted
from fofe.cli import main
from fofe.formats import read_corpus
from fofe.wiki import job
from fofe.wiki.dump import TRUNCATED
from fofe.wiki.job import LabelSettings, label_dump

if TYPE_CHECKING:
    from tests.conftest import DiskStates
    from tests.wiki.conftest import Dumps

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "wikipedia"
DUMP, CLASSES = str(EXAMPLE / "dump.xml"), str(EXAMPLE / "classes.tsv")

READ_SO_MANY = """\
import sys, time
from fofe.wiki import job
job.PAGES_IN_A_PART = 5
read, left = job.read_page, int(sys.argv[1])
def read_or_wait(*arguments):
    global left
    if left == 0:
        time.sleep(600)
    left -= 1
    return read(*arguments)
job.read_page = read_or_wait
from fofe.cli import main
sys.exit(main(sys.argv[2:]))
"""


def test_the_example_is_labelled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "weak.jsonl"
    assert main(["corpus", "wiki", DUMP, "--types", CLASSES, "-o", str(output), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    documents = list(read_corpus(output))
    assert [document.id for document in documents] == [
        "Anna Berg",
        "Bergen",
        "Nordwind Shipping",
        "Jan Novak",
    ]
    found = {(mention.text, mention.type) for document in documents for mention in document.mentions}
    assert found == {
        ("Anna Berg", "PER"),
        ("Berg", "PER"),
        ("Bergen", "GPE"),
        ("Harbour Bridge", "FAC"),
        ("Jan Novak", "PER"),
        ("Lake Voss", "LOC"),
        ("Leeds", "GPE"),
        ("Norway", "GPE"),
        ("Norwegian", "MISC"),
        ("Porto", "GPE"),
        ("The Tall Ships", "MISC"),
        ("University of Leeds", "ORG"),
    }
    assert (
        summary["counts"]["typed links"]
        + sum(count for what, count in summary["dropped"].items() if what.startswith("links"))
        == summary["counts"]["links"]
    )
    assert not list(tmp_path.glob("*.work"))


def test_workers_and_parts_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = LabelSettings((DUMP,), (CLASSES,), repeats=True)
    whole = label_dump(settings, tmp_path / "whole.jsonl", tmp_path / "work")
    monkeypatch.setattr(job, "PAGES_IN_A_PART", 2)
    shared = label_dump(settings, tmp_path / "shared.jsonl", tmp_path / "work", workers=2)
    assert (tmp_path / "whole.jsonl").read_bytes() == (tmp_path / "shared.jsonl").read_bytes()
    assert whole == shared


def test_a_killed_job_continues(dumps: Dumps) -> None:
    pages = [dumps.page(f"Page {number}", f"[[Lake {number}]] is deep.") for number in range(60)]
    dump = str(dumps.write(*pages, name="wiki.xml.bz2"))
    work = dumps.folder / "work"
    arguments = ["corpus", "wiki", dump, "-o", str(dumps.folder / "out.jsonl"), "--work", str(work)]
    killed = subprocess.Popen(
        [sys.executable, "-c", READ_SO_MANY, "12", *arguments], stderr=subprocess.DEVNULL
    )
    journal = work / JOURNAL
    for _ in range(6000):
        if journal.exists() and journal.read_bytes().count(b'"read ') >= 2:
            break
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert journal.read_bytes().count(b'"read ') == 2
    assert not (dumps.folder / "out.jsonl").exists()
    again = subprocess.run(
        [sys.executable, "-c", READ_SO_MANY, "50", *arguments, "--json"],
        capture_output=True,
        check=True,
    )
    assert json.loads(again.stdout)["counts"]["typed links"] == 60
    assert [document.id for document in read_corpus(dumps.folder / "out.jsonl")] == [
        f"Page {number}" for number in range(60)
    ]


def test_a_job_killed_at_any_point_continues_to_the_same_output(
    disk_states: DiskStates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "PAGES_IN_A_PART", 5)
    settings = LabelSettings((DUMP,), (CLASSES,))
    folder, copies = tmp_path / "job", tmp_path / "copies"
    folder.mkdir()
    states = disk_states(folder, copies, lambda: label_dump(settings, folder / "out.jsonl", folder / "work"))
    total = label_dump(settings, tmp_path / "out.jsonl", tmp_path / "work")
    assert len(states) > 20
    for state in states:
        assert label_dump(settings, state / "out.jsonl", state / "work") == total
        assert (state / "out.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()
        assert not list(state.glob("*work*"))


def test_the_work_of_another_job_is_not_touched(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with Journal(work, "another") as journal:
        journal.add("part")
    with pytest.raises(InputError, match="belongs to a job with other files"):
        label_dump(LabelSettings((DUMP,)), tmp_path / "out.jsonl", work)
    (work / JOURNAL).rename(work / "precious.txt")
    with pytest.raises(InputError, match="neither empty nor a work directory"):
        label_dump(LabelSettings((DUMP,)), tmp_path / "out.jsonl", work)
    assert (work / "precious.txt").exists()


def test_a_damaged_dump_is_reported_and_the_rest_labelled(
    dumps: Dumps, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = dumps.folder / "cut.xml"
    dump.write_text(
        dumps.xml(dumps.page("A", "[[Lake Como]]"), dumps.page("B", "[[Lake Voss]]"))[:-80], "utf-8"
    )
    table = dumps.folder / "types.tsv"
    table.write_text("no tab\n", "utf-8")
    assert (
        main(["corpus", "wiki", str(dump), "--types", str(table), "-o", str(dumps.folder / "out.jsonl")]) == 0
    )
    printed = capsys.readouterr().err
    assert counted(1, TRUNCATED) in printed
    assert f"without a tab, left out (first: {table}:1)" in printed
    assert [document.id for document in read_corpus(dumps.folder / "out.jsonl")] == ["A"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.xml"], "nowhere.xml: cannot be read"),
        ([CLASSES], "is not XML"),
        ([DUMP, "--types", "nowhere.tsv"], "nowhere.tsv: cannot be read"),
        ([DUMP, "--lang", "englisch"], "unknown language"),
        ([DUMP, "--mapping", CLASSES], "not valid TOML"),
    ],
)
def test_unusable_input_is_an_error(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.jsonl"
    assert main(["corpus", "wiki", *arguments, "-o", str(output)]) == 2
    assert message in capsys.readouterr().err
    assert not output.exists()


def test_a_work_directory_that_would_take_the_output_with_it_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "work" / "out.jsonl"
    output.parent.mkdir()
    assert main(["corpus", "wiki", DUMP, "-o", str(output), "--work", str(output.parent)]) == 2
    assert "would hold the output, and is removed at the end" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "spark", "--workers", "2"], "--engine spark shares work by --master, not --workers"),
        (["--master", "local[2]"], "--master goes with --engine spark"),
    ],
)
def test_options_without_effect_are_refused(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["corpus", "wiki", DUMP, "-o", str(tmp_path / "weak.jsonl"), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_an_error_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["corpus", "wiki", DUMP, "-o", str(tmp_path / "nowhere" / "out.jsonl")]) == 2
    assert "its directory does not exist" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
