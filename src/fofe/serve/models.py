"""The models that a server has loaded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from fofe.base.errors import FofeError
from fofe.tagging.installed import model_path
from fofe.tagging.model import Model, load

MODEL_FOLDER = "model"


class Options(NamedTuple):
    """How a request wants a model to decode: the arguments of `Model.with_options`."""

    threshold: float | None = None
    strategy: str | None = None
    nested: bool | None = None
    scheme: str | None = None
    agreement: float | None = None
    alternatives: int = 0
    for_recall: bool = False


class Models:
    """Models by name; the first is the one that serves who does not ask for another."""

    def __init__(self, by_name: Mapping[str, Model]) -> None:
        if not by_name:
            raise FofeError("a server needs at least one model")
        self.by_name = dict(by_name)
        # Requests with the same options get the same object, and so they can be tagged together.
        self._with_options = lru_cache(maxsize=256)(self._decoding_as)

    @property
    def languages(self) -> list[str]:
        return sorted({model.config.language for model in self.by_name.values()})

    @property
    def conventions(self) -> list[str]:
        """The corpora whose conventions any of the models can follow."""
        return sorted({corpus for model in self.by_name.values() for corpus in model.config.schemes})

    def name_for(self, name: str | None, language: str | None) -> str:
        """The name of the model that was asked for by its name or by its language."""
        if name is not None:
            return name
        fitting = (
            known for known, model in self.by_name.items() if language in (None, model.config.language)
        )
        return next(fitting)

    def with_options(self, name: str, options: Options) -> Model:
        return self._with_options(name, options)

    def _decoding_as(self, name: str, options: Options) -> Model:
        return self.by_name[name].with_options(**options._asdict())


def load_models(arguments: list[str]) -> Models:
    """Load the models of the command line, each `MODEL` or `NAME=MODEL`."""
    from pathlib import Path

    by_name: dict[str, Model] = {}
    for argument in arguments:
        name, equals, path = argument.rpartition("=")
        if not equals:
            # `fofe train -o runs/news` makes `runs/news/model`: such a model is called news.
            whole = Path(path).resolve()
            name = whole.parent.name if whole.name == MODEL_FOLDER else whole.name
        if not name:
            raise FofeError(f"{argument!r} gives a model no name: write NAME=PATH")
        if name in by_name:
            raise FofeError(f"two models are called {name!r}: write NAME=PATH to tell them apart")
        by_name[name] = load(model_path(path))
    return Models(by_name)
