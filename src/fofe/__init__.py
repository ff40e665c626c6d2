"""Find mentions - names and nominals, flat or nested - by scoring every fragment of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fofe.base.version import __version__

if TYPE_CHECKING:
    from fofe.base.errors import FofeError
    from fofe.tagging.model import Model, load
    from fofe.text.document import Document, Mention, Sentence, Token


__all__ = ["Document", "FofeError", "Mention", "Model", "Sentence", "Token", "__version__", "load"]

_HOMES = {
    "Document": "fofe.text.document",
    "FofeError": "fofe.base.errors",
    "Mention": "fofe.text.document",
    "Model": "fofe.tagging.model",
    "Sentence": "fofe.text.document",
    "Token": "fofe.text.document",
    "load": "fofe.tagging.model",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that `fofe --help` need not load NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'fofe' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """The public names, though they are not imported yet, for completion in a notebook or a shell."""
    return list(__all__)
