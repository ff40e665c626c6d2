"""Errors that a user can act on: what is wrong, where, and what would be right."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path


class FofeError(Exception):
    """Base of every error that the command line reports with exit code 2 and no traceback."""


class InputError(FofeError):
    """A problem in a file or a text that the user gave: `file:line: problem (remedy)`, as far as known."""

    def __init__(
        self,
        problem: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem = problem
        self.path = None if path is None else Path(path)
        self.line = line
        self.remedy = remedy
        place = "" if path is None else f"{path}:" if line is None else f"{path}:{line}:"
        parts = [place, problem, f"({remedy})" if remedy else ""]
        super().__init__(" ".join(part for part in parts if part))


class NotTextError(InputError):
    """A file that is not text, or not in UTF-8."""


class ConfigError(InputError):
    """A configuration that cannot be used."""


class SettingError(FofeError, ValueError):
    """A value that a setting cannot have."""


class ModelError(InputError):
    """A model directory that cannot be loaded."""


@contextmanager
def in_file(path: str | Path | None, line: int | None = None) -> Iterator[None]:
    """Add the file, and the line, to input errors that are raised inside and name no file."""
    try:
        yield
    except InputError as error:
        if error.path is not None or path is None:
            raise
        line = line if error.line is None else error.line
        raise type(error)(error.problem, path=path, line=line, remedy=error.remedy) from None


@contextmanager
def os_errors(
    done: str, path: str | Path, remedy: str | None = None, only: Collection[int] = ()
) -> Iterator[None]:
    """Report errors of the system, or `only` those of some numbers, as `path: cannot be {done}: reason`."""
    try:
        yield
    except OSError as error:
        if only and error.errno not in only:
            raise
        raise InputError(f"cannot be {done}: {error.strerror}", path=path, remedy=remedy) from None


@contextmanager
def broken_file(path: str | Path, remedy: str) -> Iterator[None]:
    """Report what goes wrong in reading a file that fofe wrote: libraries raise errors of all kinds."""
    try:
        yield
    except FofeError:
        raise
    except Exception as error:
        reason = re.split(r"\.\s|\n", str(error))[0][:200] or type(error).__name__
        raise InputError(f"is broken: {reason}", path=path, remedy=remedy) from None


@contextmanager
def needs(what: str, extra: str, *modules: str) -> Iterator[None]:
    """Say what needs which package, and how to install it, if one of these modules cannot be imported."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in modules:
            raise
        raise FofeError(f"{what} (pip install 'fofe[{extra}]')") from None
