"""Files that are written atomically, and failures of the system that reach the user."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from fofe.base.errors import InputError
from fofe.base.files import write_atomically
from fofe.base.workers import in_order
from fofe.cli import main
from fofe.wiki.job import INDEX, LabelJob, LabelSettings, Part
from fofe.wiki.mapping import load_mapping
from fofe.wiki.types import TypeIndex


def write(path: Path, text: str) -> None:
    with write_atomically(path) as stream:
        stream.write(text)


def test_a_file_that_is_not_finished_does_not_appear(tmp_path: Path) -> None:
    write(tmp_path / "out.txt", "before")
    half: Any = ["half of it", None]
    with pytest.raises(TypeError), write_atomically(tmp_path / "out.txt") as stream:
        stream.writelines(half)
    assert (tmp_path / "out.txt").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link, file = tmp_path / "out.txt", tmp_path / "elsewhere" / "real.txt"
    link.symlink_to(file)
    for text in ("first", "second"):
        write(link, text)
        assert link.is_symlink()
        assert file.read_text() == text


def test_a_pipe_is_written_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write(pipe, "through it")
    reader.join()
    assert read == ["through it"]
    assert pipe.is_fifo()


def test_a_directory_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        write(tmp_path, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_reported_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"text": "In Lima it rained."}\n')
    assert main(["corpus", "convert", str(corpus), "/dev/full", "--to", "jsonl"]) == 2
    assert capsys.readouterr().err == (
        "fofe: /dev/full: cannot be written: No space left on device (make room on the disk)\n"
    )


def test_a_file_that_a_worker_misses_is_reported_by_the_parent(tmp_path: Path) -> None:
    TypeIndex(load_mapping("en"), tmp_path / INDEX).close()
    job = LabelJob(LabelSettings(("dump.xml",), language="en"), tmp_path)
    with pytest.raises(InputError, match=r"001-000001.pages.jsonl: is broken"):
        list(in_order(job, [Part("001-000001")], workers=2))
