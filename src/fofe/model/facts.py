"""Facts about a stored model, for people to read: labels, features, sizes, decoding, scores."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from fofe.base.report import counted
from fofe.decode import Decoding
from fofe.model.ensemble import Ensemble, load_stored
from fofe.model.storage import StoredModel, size_on_disk


def model_facts(path: Path) -> dict[str, Any]:
    """The facts about a model or an ensemble, by name; values are strings, numbers or lists of them."""
    stored = load_stored(path)
    model = stored.as_one if isinstance(stored, Ensemble) else stored
    facts = {
        "language": model.config.language,
        "labels": list(model.labels[1:]),
        "fragments": f"up to {counted(model.config.max_words, 'words')}",
    }
    facts |= _ensemble_facts(stored, path) if isinstance(stored, Ensemble) else _facts(stored, path)
    return {name: fact for name, fact in facts.items() if fact not in (None, "", [])}


def _ensemble_facts(ensemble: Ensemble, path: Path) -> dict[str, Any]:
    return {
        "schemes": list(ensemble.as_one.config.schemes),
        "members": [os.path.relpath(member, path) for member in ensemble.paths],
        "weights": [round(weight, 3) for weight in ensemble.weights],
        "decoding": _decoding(ensemble.decoding),
        "calibration": _temperatures(ensemble.temperatures),
    }


def _facts(model: StoredModel, path: Path) -> dict[str, Any]:
    config, characters, training = model.config, model.config.characters, model.training
    shown = {"FOFE": characters.fofe, "CNN": characters.cnn, "initials": characters.initials}
    facts: dict[str, Any] = {"forgetting factor": config.factor, "digits": config.digits}
    for view in config.views:
        words = f", {counted(len(model.vocabularies[view.holder].words), 'words')}" if view.has_table else ""
        facts[f"view {view.name}"] = f"{view.lookup}, {view.dimension}{words}: {', '.join(view.codes)}"
    facts |= {
        "characters": [name for name, used in shown.items() if used] or "not used",
        "surroundings": config.surroundings and f"by the view {config.surroundings}",
        "schemes": list(config.schemes),
        "hidden layers": list(config.hidden),
        "weights": sum(array.size for array in model.weights.values()),
        "megabytes": round(size_on_disk(path) / 1e6, 1),
        "storage": f"word tables {model.storage.tables}, other weights {model.storage.weights}",
        "decoding": _decoding(model.decoding),
        "gate": model.gate
        and f"{model.gate.width} units, recall {model.gate.recall:.4f} of the network's own positives, "
        f"lets {100 * model.gate.passed:.1f} % of the fragments through (varied training sentences)",
    }
    facts |= _scores(training)
    if calibration := training.get("calibration"):
        errors = f"error {calibration['ece_before']:.2f} % before, {calibration['ece_after']:.2f} % after"
        facts["calibration"] = f"{_temperatures(calibration['temperatures'])}; {errors}"
    return facts | {key.replace("_", " "): training.get(key) for key in ("seed", "best_epoch", "command")}


def _scores(training: Mapping[str, Any]) -> dict[str, str]:
    """The scores by part; of a model that ships, by part and corpus, as `fofe model list` has them."""
    shipped = training.get("shipped", {})
    if scores := shipped.get("scores"):
        return {f"{shipped['parts'][corpus]} {corpus}": _rates(of) for corpus, of in scores.items()}
    before = " (before compression)" if "compression" in training else ""
    parts = {part: training[part] for part in ("dev", "test") if part in training}
    return {part: f"{_rates(of)}{_mean(of.get('f1_by_corpus', ()))}{before}" for part, of in parts.items()}


def _rates(scores: Mapping[str, float]) -> str:
    return f"P {scores['precision']:.2f} R {scores['recall']:.2f} F1 {scores['f1']:.2f}"


def _mean(corpora: Collection[str]) -> str:
    return f", the mean over {' and '.join(corpora)}, each as by fofe evaluate --as" if corpora else ""


def _decoding(decoding: Decoding) -> str:
    nested = ", nested" if decoding.nested else ""
    agreement = f", agreement {decoding.agreement:g}" if decoding.agreement else ""
    others: dict[float, list[str]] = {}
    for label, threshold in decoding.thresholds.items():
        others.setdefault(threshold, []).append(label)
    own = "".join(f" ({threshold} for {' '.join(labels)})" for threshold, labels in others.items())
    names = f", for names alone {decoding.names_threshold}" if decoding.names_threshold else ""
    return f"{decoding.strategy}{nested}, threshold {decoding.threshold}{own}{names}{agreement}"


def _temperatures(by_label: Mapping[str, float]) -> str:
    values = {f"{value:.2f}" for value in by_label.values()}
    by_name = [f"{label} {value:.2f}" for label, value in by_label.items()]
    listed = ", ".join(values if len(values) == 1 else by_name)
    return f"temperature {listed}" if listed else ""
