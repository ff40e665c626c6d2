"""The journal of resumable jobs: killed at any point, a job goes on to the same result."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.base.files import write_atomically
from fofe.base.journal import JOURNAL, Journal, stamp

if TYPE_CHECKING:
    from tests.conftest import DiskStates

UNITS = tuple("abcd")


def run(folder: Path, job: object = "job", *, resume: bool = True) -> list[str]:
    """A job that writes a file for each unit and joins them; returns the units that it worked on."""
    worked = []
    with Journal(folder / "out.work", job, resume=resume) as journal:
        for unit in UNITS:
            if journal.done(unit) is None:
                worked.append(unit)
                with write_atomically(journal.file(f"{unit}.txt")) as stream:
                    stream.write(unit * 3)
                journal.add(unit, {"length": 3})
        with write_atomically(folder / "out") as stream:
            for unit in UNITS:
                stream.write(journal.file(f"{unit}.txt").read_text() + str(journal.done(unit)["length"]))
        journal.remove()
    return worked


RESULT = "".join(f"{unit * 3}3" for unit in UNITS)


@pytest.fixture(scope="module")
def states(disk_states: DiskStates, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What the disk holds between any two operations of a job, as copies."""
    folder = tmp_path_factory.mktemp("job")
    return disk_states(folder, tmp_path_factory.mktemp("copies"), lambda: run(folder))


def recorded(folder: Path) -> list[str]:
    """The units whose lines are complete."""
    journal = folder / "out.work" / JOURNAL
    lines = journal.read_bytes().split(b"\n")[1:-1] if journal.exists() else []
    return [json.loads(line)["key"] for line in lines]


def test_there_are_states_of_every_kind(states: list[Path]) -> None:
    assert len(states) > 20
    assert {len(recorded(state)) for state in states} == set(range(len(UNITS) + 1))
    names = {path.name.rpartition(".")[2] for state in states for path in state.iterdir()}
    assert {"new", "old", "work", "out"} <= names
    assert any(list((state / "out.work").glob(".a.txt.*")) for state in states)


@given(data=st.data())
def test_a_killed_job_goes_on_to_the_same_result(
    data: st.DataObject, states: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("killed")
    shutil.copytree(data.draw(st.sampled_from(states)), folder, dirs_exist_ok=True)
    journal = folder / "out.work" / JOURNAL
    if recorded(folder):  # a kill in the middle of the last write
        last = journal.read_bytes()[:-1].rfind(b"\n") + 1
        with journal.open("r+b") as stream:
            stream.truncate(data.draw(st.integers(last, journal.stat().st_size)))
    done = recorded(folder)
    assert run(folder) == [unit for unit in UNITS if unit not in done]
    assert (folder / "out").read_text() == RESULT
    assert not list(folder.glob("*out.work*"))


def unfinished(folder: Path, job: object = "job") -> Path:
    """The work directory of a job that was interrupted after its first unit."""
    with Journal(folder / "out.work", job) as journal:
        journal.add("a", {"length": 3})
        with write_atomically(journal.file("a.txt")) as stream:
            stream.write("aaa")
    return folder / "out.work"


def test_an_unfinished_job_needs_resume(tmp_path: Path) -> None:
    work = unfinished(tmp_path)
    with pytest.raises(InputError, match=rf"{work}: .* \(add --resume"):
        run(tmp_path, resume=False)
    assert run(tmp_path) == ["b", "c", "d"]


@pytest.mark.parametrize("other", ["other", {"files": ["x"], "options": {"a": None}}])
def test_the_journal_of_another_job_is_refused(tmp_path: Path, other: object) -> None:
    work = unfinished(tmp_path, other)
    with pytest.raises(InputError, match=rf"{work}: belongs to .* \(give the same ones, remove"):
        run(tmp_path)


def test_the_order_of_keys_and_the_kind_of_sequence_make_no_other_job(tmp_path: Path) -> None:
    unfinished(tmp_path, {"files": ("x", "y"), "options": 1})
    assert run(tmp_path, {"options": 1, "files": ["x", "y"]}) == ["b", "c", "d"]


def test_another_version_is_another_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unfinished(tmp_path)
    monkeypatch.setattr("fofe.base.journal.__version__", "99")
    with pytest.raises(InputError, match="version"):
        run(tmp_path)


def test_a_job_that_did_nothing_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyError), Journal(tmp_path / "deep" / "work", "job"):
        raise KeyError
    assert not list((tmp_path / "deep").iterdir())


def test_a_journal_without_entries_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / "out.work").mkdir()
    (tmp_path / "out.work" / JOURNAL).write_text('{"job": "other"}\n')
    (tmp_path / "out.work" / "x.txt").touch()
    assert run(tmp_path, resume=False) == list(UNITS)


def test_an_empty_directory_can_be_used_and_another_cannot(tmp_path: Path) -> None:
    (tmp_path / "out.work").mkdir()
    assert run(tmp_path) == list(UNITS)
    (tmp_path / "out.work").mkdir()
    (tmp_path / "out.work" / "mine.txt").touch()
    with pytest.raises(InputError, match="neither empty nor a work directory"):
        run(tmp_path)


def test_a_place_where_nothing_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(InputError, match="cannot be made: Not a directory"),
        Journal(tmp_path / "file" / "work", "job"),
    ):
        pass


def test_two_processes_do_not_share_a_journal(tmp_path: Path) -> None:
    with Journal(tmp_path / "out.work", "job") as journal:
        journal.add("a")
        with pytest.raises(InputError, match="in use by another process"):
            run(tmp_path)


@pytest.mark.parametrize("line", [b"not JSON", b"\xff", b"[]", b'{"key": "a"}'])
def test_a_broken_journal_is_refused(tmp_path: Path, line: bytes) -> None:
    journal = unfinished(tmp_path) / JOURNAL
    journal.write_bytes(journal.read_bytes() + line + b"\n")
    with pytest.raises(InputError, match=r"is broken \(remove its directory"):
        run(tmp_path)


def test_a_stamp_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a")
    before = stamp(path)
    path.write_text("ab")
    assert stamp(path) != before
    with pytest.raises(InputError, match="cannot be read"):
        stamp(tmp_path / "b.txt")
