"""Guessing a format from the first lines of a file whose name does not say it."""

from __future__ import annotations

from pathlib import Path

from fofe.base.errors import InputError
from fofe.base.files import check_is_text
from fofe.formats.conll import is_tag

_GLANCE = 65_536


def guess_by_content(path: Path) -> str | None:
    """The format that the first line with content looks like, if it looks like any."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_GLANCE)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    check_is_text(data, path)
    for line in data.decode("utf-8-sig", errors="replace").split("\n"):
        if line.lstrip().startswith("{"):
            return "jsonl"
        columns = line.split()
        if any(is_tag(column) for column in columns[1:]):
            return "conll"
        if columns and not line.startswith("#"):
            return None
    return None
