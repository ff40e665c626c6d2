"""Find mentions - names and nominals, flat or nested - by scoring every fragment of a text."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from fofe.base.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fofe.base.errors import FofeError
    from fofe.tagging.model import Model, load
    from fofe.text.document import Document, Mention, Sentence, Token
    from fofe.training.callback import Callback
    from fofe.training.config import RunConfig


__all__ = ["Document", "FofeError", "Mention", "Model", "Sentence", "Token", "__version__", "load", "train"]

_HOMES = {
    "fofe.base.errors": ("FofeError",),
    "fofe.tagging.model": ("Model", "load"),
    "fofe.text.document": ("Document", "Mention", "Sentence", "Token"),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that `fofe --help` need not load NumPy."""
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'fofe' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, though they are not imported yet, for completion in a notebook or a shell."""
    return list(__all__)


def train(
    config: str | Path | RunConfig,
    folder: str | Path,
    settings: Mapping[str, Any] | None = None,
    *,
    start: str | Path | None = None,
    resume: bool = False,
    callback: Callback | None = None,
) -> Model:
    """Train a model and load it. Needs PyTorch: `pip install 'fofe[train]'`.

    Args:
        config: a TOML file, or what `fofe.training.config.load_config` made of one.
        folder: the directory of the run: checkpoint, metrics and, at the end, the model in `model/`.
        settings: values by dotted keys that replace those of a file: `{"training.epochs": 20}`.
        start: a model to start from, by directory, name or address.
        resume: whether to continue a run in that directory which was interrupted.
        callback: receives reports while training goes on.
    """
    from collections.abc import Mapping
    from types import NoneType

    from fofe.base.errors import FofeError, needs
    from fofe.tagging.arguments import check_type
    from fofe.tagging.installed import model_path
    from fofe.tagging.model import load
    from fofe.training.callback import Callback
    from fofe.training.config import RunConfig, load_config

    check_type(config, (str, PathLike, RunConfig), "the configuration is a path")
    check_type(folder, (str, PathLike), "the directory of the run is a path")
    check_type(settings, (Mapping, NoneType), "settings are a dictionary of values by dotted keys")
    check_type(start, (str, PathLike, NoneType), "the model to start from is a path or a name")
    check_type(callback, (Callback, NoneType), "a callback is a fofe.training.callback.Callback")
    with needs("training needs PyTorch", "train", "torch"):
        from fofe.training.run import train
    if isinstance(config, RunConfig) and settings:
        raise FofeError("settings replace those of a file (give them to load_config)")
    read = config if isinstance(config, RunConfig) else load_config(config, dict(settings or {}))
    path = None if start is None else model_path(start)
    return load(train(read, folder, callback, start=path, resume=resume))
