"""`fofe inspect`: what a model is."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from fofe.decode import Decoding
    from fofe.model.ensemble import Ensemble
    from fofe.model.storage import StoredModel

EXAMPLES = """\
examples:
  fofe inspect runs/tiny/model
  fofe inspect runs/tiny/model --json
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "inspect",
        help="show what a model is",
        description="Show a model's labels, features, sizes, decoding and scores.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="a model directory, or the name of an installed model")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the facts."""
    import json

    from fofe.model.ensemble import is_ensemble, load_ensemble
    from fofe.model.storage import load_model, size_on_disk
    from fofe.tagging.installed import model_path

    path = model_path(args.model)
    if is_ensemble(path):
        facts = _ensemble_facts(load_ensemble(path))
    else:
        facts = _facts(load_model(path), size_on_disk(path))
    if args.json:
        print(json.dumps(facts, indent=2, ensure_ascii=False))
        return 0
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:{width}}  {_readable(value)}")
    return 0


def _ensemble_facts(ensemble: Ensemble) -> dict[str, Any]:
    whole = ensemble.as_one
    return {
        "language": whole.config.language,
        "labels": list(whole.labels[1:]),
        "fragments": f"up to {whole.config.max_words} words",
        **({"conventions": list(whole.config.conventions)} if whole.config.conventions else {}),
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
        "forgetting factors": list(config.factors),
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
    if config.conventions:
        facts["conventions"] = list(config.conventions)
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


def _calibration(told: dict[str, Any]) -> str:
    errors = f"error {told['ece_before']:.2f} % before, {told['ece_after']:.2f} % after"
    return f"{_temperatures(told['temperatures'])}; {errors}"


def _temperatures(by_label: Mapping[str, float]) -> str:
    temperatures = {label: f"{value:.2f}" for label, value in by_label.items()}
    shared = set(temperatures.values())
    given = (
        shared.pop()
        if len(shared) == 1
        else ", ".join(f"{label} {value}" for label, value in temperatures.items())
    )
    return f"temperature {given}"


def _readable(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
