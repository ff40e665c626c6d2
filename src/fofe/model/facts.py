"""Facts about a stored model, for people to read: labels, features, sizes, decoding, scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fofe.model.ensemble import Ensemble, is_ensemble, load_ensemble
from fofe.model.storage import load_model, size_on_disk

if TYPE_CHECKING:
    from fofe.decode import Decoding
    from fofe.model.storage import StoredModel


def model_facts(path: Path) -> dict[str, Any]:
    """The facts about a model or an ensemble, by name; values are strings, numbers or lists of them."""
    return (
        _ensemble_facts(load_ensemble(path))
        if is_ensemble(path)
        else _facts(load_model(path), size_on_disk(path))
    )


def _ensemble_facts(ensemble: Ensemble) -> dict[str, Any]:
    whole = ensemble.as_one
    return {
        "language": whole.config.language,
        "labels": list(whole.labels[1:]),
        "fragments": f"up to {whole.config.max_words} words",
        **({"schemes": list(whole.config.schemes)} if whole.config.schemes else {}),
        "members": list(ensemble.names),
        "weights": [round(weight, 3) for weight in ensemble.weights],
        "decoding": _decoding(ensemble.decoding),
        **({"calibration": _temperatures(ensemble.temperatures)} if ensemble.temperatures else {}),
    }


def _facts(model: StoredModel, size: int) -> dict[str, Any]:
    config = model.config
    facts: dict[str, Any] = {
        "language": config.language,
        "labels": list(model.labels[1:]),
        "fragments": f"up to {config.max_words} words",
        "forgetting factor": config.factor,
        "digits": config.digits,
    }
    for view in config.views:
        words = f", {len(model.vocabularies[view.holder].words)} words" if view.has_table else ""
        facts[f"view {view.name}"] = f"{view.lookup}, {view.dimension}{words}: {', '.join(view.codes)}"
    characters = config.characters
    used = [name for name, on in (("FOFE", characters.fofe), ("CNN", characters.cnn)) if on]
    facts["characters"] = used or "not used"
    if config.surroundings:
        facts["surroundings"] = f"by the view {config.surroundings}"
    if config.schemes:
        facts["schemes"] = list(config.schemes)
    facts["hidden layers"] = list(config.hidden)
    facts["weights"] = sum(array.size for array in model.weights.values())
    facts["megabytes"] = round(size / 1e6, 1)
    facts["storage"] = f"word tables {model.storage.tables}, other weights {model.storage.weights}"
    facts["decoding"] = _decoding(model.decoding)
    if model.gate is not None:
        facts["gate"] = (
            f"{model.gate.width} units, recall {model.gate.recall:.4f} of the network's own positives, "
            f"lets {100 * model.gate.passed:.1f} % of the fragments through (varied training sentences)"
        )
    before = " (before compression)" if "compression" in model.training else ""
    for part in ("dev", "test"):
        if part in model.training:
            scores = model.training[part]
            facts[part] = (
                f"P {scores['precision']:.2f} R {scores['recall']:.2f} F1 {scores['f1']:.2f}"
                f"{_mean_over(scores.get('f1_by_corpus', ()))}{before}"
            )
    if "calibration" in model.training:
        facts["calibration"] = _calibration(model.training["calibration"])
    for key in ("seed", "best_epoch", "command"):
        if key in model.training:
            facts[key.replace("_", " ")] = model.training[key]
    return facts


def _mean_over(corpora: Collection[str]) -> str:
    return f", the mean over {' and '.join(corpora)}, each scored in its own labels" if corpora else ""


def _decoding(decoding: Decoding) -> str:
    nested = ", nested" if decoding.nested else ""
    agreement = f", agreement {decoding.agreement:g}" if decoding.agreement else ""
    return f"{decoding.strategy}{nested}, threshold {decoding.threshold}{agreement}"


def _calibration(calibration: dict[str, Any]) -> str:
    errors = f"error {calibration['ece_before']:.2f} % before, {calibration['ece_after']:.2f} % after"
    return f"{_temperatures(calibration['temperatures'])}; {errors}"


def _temperatures(by_label: Mapping[str, float]) -> str:
    temperatures = {label: f"{value:.2f}" for label, value in by_label.items()}
    shared = set(temperatures.values())
    given = (
        shared.pop()
        if len(shared) == 1
        else ", ".join(f"{label} {value}" for label, value in temperatures.items())
    )
    return f"temperature {given}"
