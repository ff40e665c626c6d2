"""A calibrated model from a trained one, and what to tell of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fofe.base.errors import InputError
from fofe.evaluate.calibration import Bin, calibration_error, fit_temperatures, reliability
from fofe.evaluate.curve import Point
from fofe.evaluate.judgements import judge
from fofe.evaluate.report import Section, breakdown_section
from fofe.evaluate.table import table
from fofe.evaluate.thresholds import best_point, decoded_curve
from fofe.model.ensemble import Ensemble
from fofe.model.storage import StoredModel
from fofe.model.temperature import with_temperatures
from fofe.tagging.model import assembled
from fofe.text.document import Document

FITTED_ON = "corpus"
ANOTHER = "test"


@dataclass(frozen=True)
class Calibration:
    """A calibrated model and how its scores were before and are now, by corpus."""

    model: StoredModel | Ensemble
    temperatures: dict[str, float]
    before: dict[str, list[Bin]]
    after: dict[str, list[Bin]]
    point: Point
    """The threshold that was chosen, and what it scores on the corpus of the fit."""


def calibrate(
    model: StoredModel | Ensemble,
    corpus: Sequence[Document],
    test: Sequence[Document] | None = None,
    *,
    precision: float | None = None,
    recall: float | None = None,
) -> Calibration:
    """Fit temperatures on a corpus and choose a threshold on it: of the best F1 with what is wanted.

    Args:
        model: the model as it was trained, or calibrated before; or several as one.
        corpus: annotated text that it was not trained on, with tokens.
        test: more of it, on which nothing is fitted.
        precision: in percent.
        recall: in percent.
    """
    corpora = {FITTED_ON: corpus} | ({} if test is None else {ANOTHER: test})
    tagger = assembled(model)
    for documents in corpora.values():
        _require_tokens(documents, tagger.config.language)
    judged = {name: judge(tagger, documents) for name, documents in corpora.items()}
    on_their_own = judged[FITTED_ON]
    if tagger.decoding.agreement:
        # Temperatures are of what the network says of each fragment, before any two are made to agree.
        on_their_own = judge(tagger.with_options(agreement=0.0), corpus)
    temperatures = fit_temperatures(on_their_own)
    calibrated = _with_temperatures(model, temperatures)
    tagger = assembled(calibrated)
    judged_anew = {name: judge(tagger, documents) for name, documents in corpora.items()}
    point = best_point(
        decoded_curve(judged_anew[FITTED_ON], model.decoding), precision=precision, recall=recall
    )
    before = {name: reliability(of_corpus) for name, of_corpus in judged.items()}
    after = {name: reliability(of_corpus) for name, of_corpus in judged_anew.items()}
    facts = {
        "temperatures": temperatures,
        "ece_before": calibration_error(before[FITTED_ON]),
        "ece_after": calibration_error(after[FITTED_ON]),
    }
    calibrated = replace(calibrated, decoding=replace(model.decoding, threshold=point.threshold))
    if isinstance(calibrated, StoredModel):
        # The thresholds of its conventions were for the scores before.
        calibrated = replace(calibrated, decodings={}, training={**calibrated.training, "calibration": facts})
    return Calibration(calibrated, temperatures, before, after, point)


def _require_tokens(documents: Sequence[Document], language: str) -> None:
    """Refuse text that nobody has cut into tokens: it would be passed over."""
    for number, document in enumerate(documents, start=1):
        if not document.sentences and document.text.strip():
            raise InputError(
                f"document {document.id or number} has text but no tokens",
                remedy=f"read the corpus with read_corpus(path, language={language!r})",
            )


def _with_temperatures(
    model: StoredModel | Ensemble, temperatures: Mapping[str, float]
) -> StoredModel | Ensemble:
    """One model has them in its weights; the mean of several is not that of any weights, and keeps them."""
    if isinstance(model, Ensemble):
        return model.tempered(temperatures)
    return with_temperatures(model, temperatures)


def calibration_sections(made: Calibration) -> list[Section]:
    """The temperatures, the calibration errors, the scores by bins, and the threshold."""
    return [
        _temperatures(made.temperatures),
        _errors(made),
        *(_reliability(name, bins) for name, bins in made.after.items()),
        breakdown_section("threshold", "threshold", {f"{made.point.threshold:.2f}": made.point.counts}),
    ]


def _temperatures(temperatures: Mapping[str, float]) -> Section:
    rows = [[label, f"{value:.3f}"] for label, value in temperatures.items()]
    if len(set(temperatures.values())) == 1:
        rows = [["all labels", rows[0][1]]]
    return Section("temperatures", table(("", "temperature"), rows), dict(temperatures))


def _errors(made: Calibration) -> Section:
    errors = {
        name: {"before": calibration_error(made.before[name]), "after": calibration_error(made.after[name])}
        for name in made.before
    }
    rows = [[name, f"{both['before']:.2f}", f"{both['after']:.2f}"] for name, both in errors.items()]
    return Section("calibration_error", table(("calibration error (%)", "before", "after"), rows), errors)


def _reliability(name: str, bins: Sequence[Bin]) -> Section:
    rows = [
        [
            f"{of_bin.low:.1f} to {of_bin.high:.1f}",
            str(of_bin.fragments),
            f"{of_bin.score:.3f}",
            f"{of_bin.right:.3f}",
        ]
        for of_bin in bins
    ]
    heading = (f"scores now ({name})", "fragments", "mean score", "right")
    return Section(f"reliability_{name}", table(heading, rows), [of_bin._asdict() for of_bin in bins])
