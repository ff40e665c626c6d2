"""Model directories that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fofe.base.errors import ModelError


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A directory to write into, which takes the place of what is at a path when it has been filled.

    What a link leads to is replaced, not the link.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as error:
        raise ModelError(
            f"cannot be written: {error.strerror}", path=path, remedy="choose another directory"
        ) from None
    try:
        yield aside
        aside.chmod(0o755)
        _move(aside, target)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def _move(aside: Path, target: Path) -> None:
    if not target.exists():
        aside.rename(target)
        return
    old = aside.with_name(f"{aside.name}.old")
    target.rename(old)
    try:
        aside.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old)
