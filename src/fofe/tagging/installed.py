"""Models that come as packages of their own: found by name among what is installed.

Such a package has an entry point in the group `fofe.models`: the name of the model, and the module whose
folder `model` is the model directory. The module itself is not imported, nor is anything heavy.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fofe.base.errors import ModelError
from fofe.base.files import read_text
from fofe.text.document import split_label

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "fofe.models"
FOLDER = "model"
"""Where the model lies in its package."""
DEFAULT = "en"
"""The model that tags where none is asked for."""
AUTO: Final = "auto"
"""What stands for the models of all languages, each for its own texts, where a model is asked for."""
SHIPPED = ("en", "en-news", "es", "zh")
"""The names of those that come with the source."""
HUB: Final = "hf://"
"""How the address of a model on the Hugging Face Hub begins: only such a model is ever downloaded."""
INSTALL = "pip install ./models/{} in a checkout of fofe"


@dataclass(frozen=True)
class InstalledModel:
    """A model that a package brings."""

    name: str
    entry_point: EntryPoint

    @cached_property
    def path(self) -> Path:
        """The model directory."""
        spec = find_spec(self.entry_point.module)
        for folder in (spec and spec.submodule_search_locations) or ():
            if (Path(folder) / FOLDER / "config.json").is_file():
                return Path(folder) / FOLDER
        raise ModelError(f"the package {self._package} contains no model", remedy="install it again")

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The content of its config.json."""
        file = self.path / "config.json"
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            table: dict[str, Any] = json.loads(read_text(file))
            if isinstance(table["model"]["language"], str) and isinstance(table["labels"], list):
                return table
        raise ModelError("is not the description of a model", path=file, remedy="install it again")

    @property
    def language(self) -> str:
        return str(self.settings["model"]["language"])

    @property
    def labels(self) -> list[str]:
        """Those of mentions, without NONE."""
        return list(self.settings["labels"][1:])

    @property
    def _package(self) -> str:
        """The name and the version of the package."""
        of = self.entry_point.dist
        return f"{of.metadata['Name']} {of.version}" if of is not None else self.entry_point.module

    def facts(self) -> dict[str, Any]:
        """What it finds, its size, its scores and where it comes from, in JSON types.

        The licence is that which the model states, else that of its package. `f1` is by corpus, else on the
        test and the dev set that it was trained with; `parts` says which part of a corpus a score is of, test
        or dev, where the model states it.
        """
        types, kinds = zip(*map(split_label, self.labels), strict=True)
        training = self.settings.get("training", {})
        f1, parts = scores_of(training)
        metadata: Any = self.entry_point.dist.metadata if self.entry_point.dist else {}
        size = sum(file.stat().st_size for file in self.path.iterdir() if file.is_file())
        licences = (metadata[key] for key in ("License-Expression", "License") if key in metadata)
        return {
            "name": self.name,
            "language": self.language,
            "types": list(dict.fromkeys(types)),
            "kinds": sorted(set(kinds)),
            "megabytes": round(size / 1e6, 1),
            "f1": f1,
            "parts": parts,
            "licence": str(training.get("shipped", {}).get("licence") or next(licences, "not stated")),
            "package": self._package,
            "path": str(self.path),
        }


def scores_of(training: dict[str, Any]) -> tuple[dict[str, float], dict[str, str]]:
    """The F1 by corpus that a model states, else on its test and dev set; and which parts the corpora are."""
    shipped = training.get("shipped", {})
    scores = shipped.get("scores") or {part: training[part] for part in ("test", "dev") if part in training}
    parts = {name: str(part) for name, part in shipped.get("parts", {}).items() if name in scores}
    return {name: of["f1"] for name, of in scores.items()}, parts


def installed_models() -> dict[str, InstalledModel]:
    """All models of installed packages by name, in order; of two with one name the first package counts."""
    from importlib.metadata import entry_points  # a model given by its path need not wait for this

    found: dict[str, InstalledModel] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        found.setdefault(point.name, InstalledModel(point.name, point))
    return found


def holds_model(path: Path) -> bool:
    """Whether a directory looks like that of a model or an ensemble."""
    return any((path / file).is_file() for file in ("config.json", "ensemble.json"))


def model_path(model: str | Path) -> Path:
    """The directory of a model that is given by its path or, where no model is there, by its name.

    One that is given by its address on the Hub is downloaded.
    """
    if str(model).startswith(HUB):
        from fofe.tagging.hub import fetch

        return fetch(str(model))
    path = Path(model)
    if holds_model(path):
        return path
    installed = installed_models()
    if str(model) in installed:
        return installed[str(model)].path
    if path.exists():
        return path  # whoever loads it reports what is wrong with it
    problem = "there is no such model directory, and no installed model has that name"
    source = INSTALL.format(model if model in SHIPPED else "NAME")
    raise ModelError(problem, path=path, remedy=f"installed: {', '.join(installed) or 'none'}; {source}")


def models_by_language() -> dict[str, InstalledModel]:
    """A model for each language: the one with its name, else the first."""
    by_language: dict[str, InstalledModel] = {}
    for name, model in installed_models().items():
        if name == model.language or model.language not in by_language:
            by_language[model.language] = model
    return by_language


def model_of_language(language: str, known: dict[str, InstalledModel]) -> InstalledModel:
    """The one of a language among the models by language; an error says how to get one."""
    if language in known:
        return known[language]
    source = f"{INSTALL.format(language)} brings it" if language in SHIPPED else "give one of these"
    remedy = f"{source}, or choose a model by its directory"
    problem = f"no model of the language {language!r} is installed"
    raise ModelError(problem, remedy=f"installed: {', '.join(known) or 'none'}; {remedy}")
