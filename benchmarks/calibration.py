"""The calibration error of a model on CoNLL-2003's test set, before and after a temperature fitted on testa.

python benchmarks/conll2003.py --seed 1     (trains the model)
python benchmarks/calibration.py
"""

from __future__ import annotations

import argparse
from pathlib import Path

from _record import HERE, RUNS, as_command, record, shared
from _resources import trained_model

from fofe.evaluate.calibration import HELD_OUT, calibrate, calibration_error, calibration_sections
from fofe.formats import read_corpus
from fofe.model.storage import load_model
from fofe.show.svg import reliability_diagram

USUAL = RUNS / "conll2003-default-1" / "model"


def main() -> None:
    """Fit on testa, measure the error on testb."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="another model than the one above; nothing is recorded")
    args = parser.parse_args()
    model_path = args.model or trained_model(USUAL, "python benchmarks/conll2003.py --seed 1")
    dev, test = (list(read_corpus(shared("data", "conll2003", f"eng.test{part}"), "conll")) for part in "ab")
    made = calibrate(load_model(model_path), dev, test)
    print("\n\n".join(section.text for section in calibration_sections(made)))
    before, after = made.before[HELD_OUT], made.after[HELD_OUT]
    if args.model is not None:
        return
    (HERE / "calibration.svg").write_text(reliability_diagram({"before": before, "after": after}), "utf-8")
    metrics = {
        "ece_before": round(calibration_error(before), 2),
        "ece_after": round(calibration_error(after), 2),
    }
    record("calibration", metrics, "python benchmarks/calibration.py")


if __name__ == "__main__":
    as_command(main)
