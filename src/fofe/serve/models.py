"""The models that a server has loaded."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from fofe.base.errors import FofeError
from fofe.tagging.installed import model_path
from fofe.tagging.model import Model, load

MODEL_FOLDER = "model"


class Models:
    """Models by name; the first is the default."""

    def __init__(self, by_name: Mapping[str, Model]) -> None:
        self.by_name = dict(by_name)
        # Requests with the same options get the same object, so that they can be tagged together.
        self.with_options = lru_cache(maxsize=256)(self._with_options)

    @property
    def languages(self) -> list[str]:
        return sorted({model.config.language for model in self.by_name.values()})

    @property
    def schemes(self) -> list[str]:
        """The annotation schemes of all models."""
        return sorted({corpus for model in self.by_name.values() for corpus in model.config.schemes})

    def name_for(self, name: str | None, language: str | None) -> str:
        """The name of a model, chosen by its name or else by its language."""
        if name is not None:
            if name not in self.by_name:
                raise FofeError(f"model: there is no {name!r} here (choose from {', '.join(self.by_name)})")
            return name
        for known, model in self.by_name.items():
            if language in (None, model.config.language):
                return known
        raise FofeError(f"language: no model for {language!r} (choose from {', '.join(self.languages)})")

    def _with_options(self, name: str, **options: Any) -> Model:
        """A model with the options of `Model.with_options`."""
        return self.by_name[name].with_options(**options)


def load_models(arguments: list[str]) -> Models:
    """Load the models of the command line, each `MODEL` or `NAME=MODEL`."""
    by_name: dict[str, Model] = {}
    for argument in arguments:
        name, equals, path = argument.rpartition("=")
        if not equals:
            # `fofe train -o runs/news` writes `runs/news/model`: such a model is called news.
            resolved = Path(path).resolve()
            name = resolved.parent.name if resolved.name == MODEL_FOLDER else resolved.name
        if not name:
            raise FofeError(f"{argument!r} gives a model no name: write NAME=PATH")
        if name in by_name:
            raise FofeError(f"two models are called {name!r}: write NAME=PATH to distinguish them")
        by_name[name] = load(model_path(path))
    return Models(by_name)
