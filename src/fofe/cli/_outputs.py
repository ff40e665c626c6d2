"""What commands ask of the name they are to write to before they begin."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from fofe.base.errors import InputError


def refuse_input(
    output: str, inputs: Iterable[str | Path], *, what: str = "input", remedy: str = "choose another name"
) -> None:
    """Refuse to write over what is read, which would be lost; `inputs` is looked at only if `output` exists.

    A device or a pipe, such as /dev/null, is never replaced: it may be both.
    """
    from fofe.base.files import STANDARD

    there = None if output == STANDARD else _status(output)
    if there is None or not (stat.S_ISREG(there.st_mode) or stat.S_ISDIR(there.st_mode)):
        return
    for path in inputs:
        read = _status(path)
        if read is not None and os.path.samestat(read, there):
            raise InputError(f"is the {what} itself", path=output, remedy=remedy)


def files_read(path: str | Path, format: str) -> Iterator[str | Path]:
    """The path of a corpus and, for brat, the pairs of files that it stands for."""
    from fofe.formats import brat

    yield path
    if format == "brat":
        folder, suffixes = Path(path), (brat.TEXT_SUFFIX, brat.ANNOTATION_SUFFIX)
        files = folder.rglob("*") if folder.is_dir() else map(folder.with_suffix, suffixes)
        yield from (file for file in files if file.suffix in suffixes)


def _status(path: str | Path) -> os.stat_result | None:
    """What the system says of a file or of standard input; None where there is nothing to say it of."""
    from fofe.base.files import STANDARD

    try:
        return os.fstat(sys.stdin.fileno()) if str(path) == STANDARD else os.stat(path)
    except OSError:
        return None
