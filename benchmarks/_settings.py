"""Whether a model was trained with the settings of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from _record import ROOT, RUNS, SHARED

from fofe.base.errors import FofeError
from fofe.base.settings import build as from_table
from fofe.base.settings import to_table
from fofe.model.storage import StoredModel
from fofe.training.config import RunConfig

ANYWHERE = ("training.threads", "training.device", "training.encoder_cache", "model.gazetteer.types")
"""Settings that may differ: they do not say what is learned, or are filled in by training."""


def check_trained_with(config: RunConfig, model: StoredModel, path: Path) -> None:
    """What was made with other settings must not pass for what the configuration would make."""
    wanted = _flat(portable_paths(to_table(config)))
    if "run" not in model.training:
        raise FofeError(f"{path}: lacks the settings that it was trained with")
    # What did not exist yet when it was trained has its default.
    found = _flat(portable_paths(to_table(from_table(RunConfig, model.training["run"]))))
    other = [
        f"{key} is {found.get(key)!r}, not {value!r}"
        for key, value in wanted.items()
        if found.get(key) != value and key not in ANYWHERE
    ]
    if other:
        raise FofeError(f"{path}: was trained with other settings: {'; '.join(other[:3])}")


def _flat(table: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """The values of a table by dotted keys; lists of tables are numbered."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            value = dict(enumerate(value))
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{where}{key}.")
        else:
            flat[f"{where}{key}"] = value
    return flat


def portable_paths(value: Any) -> Any:
    """A table of settings with paths as configurations have them, not those of this machine."""
    if isinstance(value, dict):
        return {key: portable_paths(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [portable_paths(item) for item in value]
    if isinstance(value, str) and value.endswith(".gazetteer"):
        return f"../gazetteers/{Path(value).name}"
    if isinstance(value, str) and value.startswith(f"{SHARED}/"):
        return f"..{value.removeprefix(str(SHARED))}"
    if isinstance(value, str) and value.startswith(f"{RUNS}/"):
        return f"{RUNS.name}{value.removeprefix(str(RUNS))}"
    if isinstance(value, str) and value.startswith(f"{ROOT}/"):
        return f"..{value.removeprefix(str(ROOT))}"
    return value
