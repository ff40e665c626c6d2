"""The journal of a resumable job: what is done is kept in a work directory until the output is complete.

`journal.jsonl` holds one JSON object a line. The first states the job; each of the others has the key and the
value of a finished unit of work. Larger results are files beside it. A job can be killed between any two
writes or renames and goes on where it was:

    with Journal(Path("out.work"), {"inputs": [...], "options": {...}}) as journal:
        for unit in units:
            if journal.done(unit) is None:
                with write_atomically(journal.file(f"{unit}.txt")) as stream:
                    stream.write(...)
                journal.add(unit, {"lines": 3})
        ...  # write the output
        journal.remove()
"""

from __future__ import annotations

import glob
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from fofe.base.errors import InputError, os_errors
from fofe.base.files import lock, write_atomically
from fofe.base.version import __version__

JOURNAL = "journal.jsonl"
_NEW, _OLD = ".new", ".old"


class Journal:
    """The finished units of one job, by key, and a directory for their results; use it in a `with` statement.

    The directory appears and disappears by a rename. While a journal is open no other process can open it. A
    journal without a single entry, left by a job that failed at once, is dropped.
    """

    def __init__(self, folder: str | Path, job: Any, *, resume: bool = True) -> None:
        """Name the work directory and the job: all that the result depends on, as JSON values.

        Without `resume`, a journal that has entries is an error.
        """
        self.folder = Path(os.path.realpath(folder))
        self._head = json.dumps({"fofe": __version__, "job": job}, sort_keys=True)
        self._resume = resume
        self._entries: dict[str, Any] = {}
        self._stream: IO[bytes]
        self._open = ExitStack()

    def __enter__(self) -> Journal:
        with ExitStack() as stack:
            self._lock(stack)
            if not self._read():
                stack.close()
                _delete(self.folder)
                self._lock(stack)
            self._remove_leftovers()
            self._stream = stack.enter_context(self.file(JOURNAL).open("ab"))
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._entries:
            self.remove()
        self._open.close()

    def done(self, key: str) -> Any:
        """The value of a finished unit, or None."""
        return self._entries.get(key)

    def keys(self) -> Iterable[str]:
        """The keys of all finished units."""
        return self._entries.keys()

    def file(self, name: str) -> Path:
        """The path of a result in the directory: write it with `write_atomically`, then add its entry."""
        return self.folder / name

    def add(self, key: str, value: Any = True) -> None:
        """Record a finished unit. It is on disk when this returns."""
        self.add_all([(key, value)])

    def add_all(self, entries: Iterable[tuple[str, Any]]) -> None:
        """Record several finished units at once."""
        for key, value in entries:
            self._entries[key] = value
            self._stream.write(json.dumps({"key": key, "value": value}).encode() + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def remove(self) -> None:
        """Delete the work directory, once the output is complete."""
        self._stream.close()
        _delete(self.folder)

    def _lock(self, stack: ExitStack) -> None:
        """Lock the work directory; if there is none, rename a new one that has its journal already."""
        with os_errors("made", self.folder):
            if not self.file(JOURNAL).exists():
                self.folder.mkdir(parents=True, exist_ok=True)
                if any(self.folder.iterdir()):
                    raise self._error("is neither empty nor a work directory", "name another with --work")
                self.folder.rmdir()
                new = Path(tempfile.mkdtemp(_NEW, f".{self.folder.name}.", self.folder.parent))
                with write_atomically(new / JOURNAL) as stream:
                    stream.write(self._head + "\n")
                new.rename(self.folder)
            is_ours = stack.enter_context(lock(self.file(JOURNAL), wait=False))
        if not is_ours:
            raise self._error("is in use by another process", "wait until that has ended")

    def _read(self) -> bool:
        """Read the entries. Returns false if there are none and the journal was begun by another job."""
        path = self.file(JOURNAL)
        head, *lines = complete_lines(path) or [b""]
        is_same = head == self._head.encode()
        if not lines:
            return is_same
        if not self._resume:
            remedy = "add --resume to continue it, or remove the directory"
            raise self._error("is what an interrupted job has done", remedy)
        if not is_same:
            remedy = "give the same ones, remove the directory, or name another"
            raise self._error("belongs to a job with other files, options or version", remedy)
        try:
            entries = [json.loads(line) for line in lines]
            self._entries = {entry["key"]: entry["value"] for entry in entries}
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError("is broken", path=path, remedy="remove its directory to start anew") from None
        return True

    def _error(self, problem: str, remedy: str) -> InputError:
        return InputError(problem, path=self.folder, remedy=remedy)

    def _remove_leftovers(self) -> None:
        """Delete what killed jobs left: directories beside this one, half-written files in it."""
        for leftover in self.folder.parent.glob(f".{glob.escape(self.folder.name)}.*"):
            if leftover.suffix in (_NEW, _OLD):
                shutil.rmtree(leftover, ignore_errors=True)
        for leftover in self.folder.glob(".*"):
            leftover.unlink(missing_ok=True)


def complete_lines(path: Path) -> list[bytes]:
    """The lines of a file; a last one that a kill cut off is removed."""
    data = path.read_bytes()
    complete = data[: data.rfind(b"\n") + 1]
    if len(complete) < len(data):
        os.truncate(path, len(complete))
    return complete.split(b"\n")[:-1]


def _delete(folder: Path) -> None:
    aside = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}{_OLD}")
    with suppress(FileNotFoundError):
        folder.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def stamp(path: str | Path) -> list[int]:
    """The size of a file and when it was written: these change when the file does."""
    with os_errors("read", path):
        status = os.stat(path)
    return [status.st_size, status.st_mtime_ns]
