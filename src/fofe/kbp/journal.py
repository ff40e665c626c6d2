"""What was done of a long run: a line for each file, so that a run that was cut off can go on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from fofe.base.errors import InputError
from fofe.base.files import read_text, write_whole

Entry = dict[str, Any]


class Journal:
    """Entries by file, kept beside the output until that is written.

    The first line says which run it belongs to; a line that was cut off when the run was is left out.
    """

    def __init__(self, path: Path, run: str, *, resume: bool) -> None:
        """Open the journal of the run that is described by `run`."""
        self._path = path
        self._entries: dict[str, Entry] = {}
        self._stream: IO[str]
        if path.exists() and not resume:
            raise InputError(
                "is what is left of a run that was cut off",
                path=path,
                remedy="add --resume to go on with it, or remove the file",
            )
        lines = self._whole_lines() if path.exists() else []
        if lines and lines[0] != {"run": run}:
            raise InputError(
                "belongs to a run with other models or options",
                path=path,
                remedy="give those, or remove the file to start anew",
            )
        self._entries = {entry["file"]: entry for entry in lines[1:]}
        self._begin([{"run": run}, *self._entries.values()])

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        if not self._entries:  # a run that failed before anything was done leaves nothing to go on with
            self._path.unlink(missing_ok=True)

    def done(self, file: Path) -> Entry | None:
        """The entry of a file, unless the file has changed since."""
        entry = self._entries.get(str(file))
        return entry if entry is not None and entry["stamp"] == stamp(file) else None

    def add(self, entries: Iterable[Entry]) -> None:
        """Write down what was done, so that it is there whatever happens next."""
        for entry in entries:
            self._entries[entry["file"]] = entry
            self._stream.write(json.dumps(entry) + "\n")
        self._stream.flush()

    def remove(self) -> None:
        """Forget the run: its output is written."""
        self._path.unlink()

    def _whole_lines(self) -> list[Entry]:
        """Those that end with a line break: only the last can have been cut off."""
        lines = read_text(self._path).split("\n")[:-1]
        try:
            return [json.loads(line) for line in lines]
        except json.JSONDecodeError:
            raise InputError("is broken", path=self._path, remedy="remove it to start anew") from None

    def _begin(self, lines: Iterable[Entry]) -> None:
        """Write the lines that are whole, and go on after them."""
        with write_whole(self._path) as stream:
            stream.writelines(json.dumps(line) + "\n" for line in lines)
        self._stream = self._path.open("a", encoding="utf-8")


def stamp(file: Path) -> list[int]:
    """What changes when a file does: its size and when it was written."""
    status = file.stat()
    return [status.st_size, status.st_mtime_ns]
