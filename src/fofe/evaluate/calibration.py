"""Calibration: how far scores can be trusted, and the temperatures that correct them.

Only the fragments count that a model calls mentions, those with a label more likely than NONE: of the ones
with a score of about 0.8, four fifths should be right. Temperatures are fitted by maximum likelihood on text
that the model was not trained on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import NoneType
from typing import NamedTuple

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray
from fofe.base.errors import InputError
from fofe.decode.candidates import NONE_COLUMN
from fofe.evaluate.scores import Counts, score_documents
from fofe.evaluate.tables import Section, breakdown_section, table
from fofe.evaluate.thresholds import Point, ScoredFragments, best_point, decoded_curve, score_fragments
from fofe.model.ensemble import Ensemble
from fofe.model.storage import StoredModel
from fofe.tagging.arguments import check_type
from fofe.tagging.model import Model
from fofe.text.document import Document

FITTED_ON = "corpus"
HELD_OUT = "test"

BINS = 10
NOTICEABLE = 0.005
"""Less than this, in percent, is shown as no difference."""
SMALLEST = 1e-30
WIDEST = 3.0
"""Temperatures lie between exp(-3) and exp(3)."""
PRIOR = 1.0
"""A pull of log T towards 0, worth about one fragment: a small corpus without an error says little."""
SWEEPS = 3
GOLDEN = (5**0.5 - 1) / 2
SEARCH_STEPS = 24


class Bin(NamedTuple):
    """The fragments with scores from `low` to `high`."""

    low: float
    high: float
    fragments: int
    score: float
    """Their mean score."""
    right: float
    """The share of them that is right."""


def reliability(scored: ScoredFragments) -> list[Bin]:
    """The fragments that the model calls mentions, by their score; empty bins are left out."""
    best = scored.probabilities[:, 1:].argmax(axis=1) + 1
    numbers = np.arange(len(best))
    scores = scored.probabilities[numbers, best]
    called = scores > scored.probabilities[:, NONE_COLUMN]
    scores, right = scores[called].astype(np.float64), scored.right[numbers, best][called]
    bins = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
    found = []
    for number in np.unique(bins).tolist():
        inside = bins == number
        means = float(scores[inside].mean()), float(right[inside].mean())
        found.append(Bin(number / BINS, (number + 1) / BINS, int(inside.sum()), *means))
    return found


def calibration_error(bins: Sequence[Bin]) -> float:
    """The expected calibration error in percent: the mean difference of score and accuracy, by fragments."""
    total = sum(of_bin.fragments for of_bin in bins)
    return 100 * sum(abs(of_bin.score - of_bin.right) * of_bin.fragments for of_bin in bins) / max(1, total)


def fit_temperatures(scored: ScoredFragments) -> dict[str, float]:
    """The temperature of each label: one for all, or one per label if that is better on held-out fragments.

    Held out means: the temperatures of each half of the corpus are tried on the other half.
    """
    known = scored.right.any(axis=1)
    right = scored.right[known]
    logarithms = np.log(np.maximum(scored.probabilities[known].astype(np.float64), SMALLEST))
    odds = logarithms - logarithms[:, [NONE_COLUMN]]
    middle = len(odds) // 2
    halves = ((slice(middle), slice(middle, None)), (slice(middle, None), slice(middle)))
    one_for_all = [slice(None)]
    one_for_each = one_for_all + [slice(label, label + 1) for label in range(1, odds.shape[1])] * SWEEPS

    def held_out(groups: Sequence[slice]) -> float:
        return sum(
            _loss(odds[other], right[other], _fit(odds[one], right[one], groups)) for one, other in halves
        )

    temperatures = _fit(odds, right, min((one_for_all, one_for_each), key=held_out))
    return dict(zip(scored.labels[1:], temperatures.tolist()[1:], strict=True))


def _loss(odds: FloatArray, right: BoolArray, temperatures: FloatArray) -> float:
    """The negative log likelihood of the right labels, plus that of the temperatures [K].

    `odds` [F, K] are the logarithms of each label's probability over that of NONE.
    """
    scores = odds / temperatures
    mass = np.logaddexp.reduce(np.where(right, scores, -np.inf), axis=1)
    pull = PRIOR * float((np.log(temperatures) ** 2).mean())
    return float((np.logaddexp.reduce(scores, axis=1) - mass).sum()) + pull


def _fit(odds: FloatArray, right: BoolArray, groups: Sequence[slice]) -> FloatArray:
    """Coordinate descent: the temperatures [K] of one group of labels at a time, which share theirs."""
    temperatures = np.ones(odds.shape[1])
    for group in groups:

        def loss(value: float, group: slice = group) -> float:
            changed = temperatures.copy()
            changed[group] = value
            return _loss(odds, right, changed)

        temperatures[group] = _minimise(loss)
    return temperatures


def _minimise(loss: Callable[[float], float]) -> float:
    """The temperature of the lowest loss, by golden-section search over its logarithm."""
    low, high = -WIDEST, WIDEST
    one, other = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    loss_of_one, loss_of_other = loss(float(np.exp(one))), loss(float(np.exp(other)))
    for _ in range(SEARCH_STEPS):
        if loss_of_one <= loss_of_other:
            high, other, loss_of_other = other, one, loss_of_one
            one = high - GOLDEN * (high - low)
            loss_of_one = loss(float(np.exp(one)))
        else:
            low, one, loss_of_one = one, other, loss_of_other
            other = low + GOLDEN * (high - low)
            loss_of_other = loss(float(np.exp(other)))
    return float(np.exp((low + high) / 2))


@dataclass(frozen=True)
class Calibration:
    """A calibrated model, and the reliability of its scores before and after, by corpus."""

    model: StoredModel | Ensemble
    temperatures: dict[str, float]
    before: dict[str, list[Bin]]
    after: dict[str, list[Bin]]
    point: Point
    """The chosen threshold, and its scores on the corpus of the fit."""
    scores: dict[str, dict[str, Counts]]
    """What the model finds before and after, by corpus."""

    @property
    def errors(self) -> dict[str, dict[str, float]]:
        """The calibration errors before and after, by corpus."""
        both = {"before": self.before, "after": self.after}
        return {
            name: {when: calibration_error(of[name]) for when, of in both.items()} for name in self.before
        }

    def worse(self, *, f1_counts: bool = True) -> list[str]:
        """What is worse than before, on text that nothing was fitted on if there is any."""
        name = list(self.scores)[-1]
        f1 = {when: counts.f1 for when, counts in self.scores[name].items()}
        errors = self.errors[name]
        measures = (("calibration error", errors, 1), ("F1", f1, -f1_counts))
        return [
            f"{what} {of['before']:.2f} before and {of['after']:.2f} after"
            for what, of, sign in measures
            if sign * (of["after"] - of["before"]) > NOTICEABLE
        ]


def calibrate(
    model: Model | StoredModel | Ensemble,
    corpus: Sequence[Document],
    test: Sequence[Document] | None = None,
    *,
    precision: float | None = None,
    recall: float | None = None,
) -> Calibration:
    """Fit temperatures on a corpus, and choose the threshold of the best F1 on it.

    Args:
        model: what `fofe.load` gives, or the content of a model directory, calibrated before or not.
        corpus: annotated text with tokens that the model was not trained on.
        test: more such text, on which nothing is fitted.
        precision: the least precision that the threshold must reach, in percent.
        recall: the least recall that the threshold must reach, in percent.
    """
    check_type(model, (Model, StoredModel, Ensemble), 'the model is what fofe.load("DIR") gives')
    for documents in (corpus, test):
        check_type(documents, (list, tuple, NoneType), "a corpus is a list of documents")
    if isinstance(model, Model):
        model = model.stored()
    corpora = {FITTED_ON: corpus} | ({} if test is None else {HELD_OUT: test})
    tagger = Model(model)
    for number, document in chain.from_iterable(enumerate(of, start=1) for of in corpora.values()):
        if not document.sentences and document.text.strip():  # it would be ignored
            raise InputError(
                f"document {document.id or number} has text but no tokens",
                remedy=f"read the corpus with read_corpus(path, language={tagger.config.language!r})",
            )

    def scores_of(tagger: Model) -> dict[str, ScoredFragments]:
        return {name: score_fragments(tagger, documents) for name, documents in corpora.items()}

    scored = scores_of(tagger)
    before = {name: reliability(of_corpus) for name, of_corpus in scored.items()}
    independent = scored[FITTED_ON]
    if tagger.decoding.agreement:
        # Temperatures apply to the network's output, before agreement between fragments.
        independent = score_fragments(tagger.with_options(agreement=0.0), corpus)
    temperatures = fit_temperatures(independent)
    # A model takes them into its last layer. The mean of an ensemble's members has none: it keeps them.
    calibrated: StoredModel | Ensemble = model.tempered(temperatures)
    scored = scores_of(Model(calibrated))
    after = {name: reliability(of_corpus) for name, of_corpus in scored.items()}
    point = best_point(decoded_curve(scored[FITTED_ON], model.decoding), precision=precision, recall=recall)
    calibrated = replace(calibrated, decoding=model.decoding.changed(threshold=point.threshold))
    if isinstance(calibrated, StoredModel):
        facts = {
            "temperatures": temperatures,
            "ece_before": calibration_error(before[FITTED_ON]),
            "ece_after": calibration_error(after[FITTED_ON]),
        }
        # The thresholds of its annotation schemes were tuned for the scores before.
        calibrated = replace(calibrated, decodings={}, training={**calibrated.training, "calibration": facts})
    taggers = {"before": tagger, "after": Model(calibrated)}
    found = {
        name: {when: score_documents(of, one.tag_documents(of)).overall for when, one in taggers.items()}
        for name, of in corpora.items()
    }
    return Calibration(calibrated, temperatures, before, after, point, found)


def calibration_sections(made: Calibration) -> list[Section]:
    """The temperatures, the calibration errors, the reliability of the scores, the threshold and the F1."""
    temperatures = [(label, f"{value:.3f}") for label, value in made.temperatures.items()]
    if len(set(made.temperatures.values())) == 1:
        temperatures = [("all labels", temperatures[0][1])]
    rows = [(name, both["before"], both["after"]) for name, both in made.errors.items()]
    return [
        Section("temperatures", table(("", "temperature"), temperatures), made.temperatures),
        Section("calibration_error", table(("calibration error (%)", "before", "after"), rows), made.errors),
        *(_reliability(name, bins) for name, bins in made.after.items()),
        breakdown_section("threshold", "threshold", {f"{made.point.threshold:.2f}": made.point.counts}),
        *(breakdown_section(f"scores_{name}", f"found ({name})", both) for name, both in made.scores.items()),
    ]


def _reliability(name: str, bins: Sequence[Bin]) -> Section:
    rows = [
        (f"{one.low:.1f} to {one.high:.1f}", one.fragments, f"{one.score:.3f}", f"{one.right:.3f}")
        for one in bins
    ]
    heading = (f"scores now ({name})", "fragments", "mean score", "right")
    return Section(f"reliability_{name}", table(heading, rows), [one._asdict() for one in bins])
