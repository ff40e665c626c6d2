"""The plots of the report: one for each result that is easier to see than to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from _paper_tables import ROWS, TRAINING_DATA
from _plots import bar_chart
from _shown import TRAINED_HERE, known_systems, systems_of
from ablations import charts
from partial import partial_chart

LABEL = 320
"""How wide the names of bars may be."""

Numbers = Mapping[str, float]


def plots(benchmark: str, metrics: Numbers) -> Iterator[str]:
    """The plots of a result, whose metrics are numbers or means."""
    yield from PLOTS.get(benchmark, _scores)(metrics)


def comparison() -> str:
    """Test F1 on CoNLL-2003 beside the systems that the paper compares with, and later ones."""
    values = {f"{'fofe, ' if system.is_here else ''}{system.name}": system.f1 for system in known_systems()}
    ranked = dict(sorted(values.items(), key=lambda item: item[1]))
    return bar_chart("CoNLL-2003 English, test F1 (bars begin at 85)", ranked, label=LABEL, least=85)


def _features(metrics: Numbers) -> Iterator[str]:
    values: dict[str, float] = {}
    for number, row in enumerate(ROWS, 1):
        if f"row{number:02}_f1" in metrics:
            values |= {f"paper: {row.name}": row.paper[2], f"fofe: {row.name}": metrics[f"row{number:02}_f1"]}
    yield bar_chart("test F1 by features", values, label=LABEL)


def _training_data(metrics: Numbers) -> Iterator[str]:
    values: dict[str, float] = {}
    for row, (name, scores) in TRAINING_DATA.items():
        values |= {f"paper: {name}": scores[2], f"fofe: {TRAINED_HERE[row]}": metrics[f"{row}_f1"]}
    yield bar_chart("F1 by training data; compare the gains, the documents differ", values, label=LABEL)


def _trilingual(metrics: Numbers) -> Iterator[str]:
    values = systems_of(metrics)
    yield bar_chart("OVERALL F1, all languages (bars begin at 50)", values, label=LABEL, least=50)


def _ablations(metrics: Numbers) -> Iterator[str]:
    yield from charts(metrics).values()


def _speed(metrics: Numbers) -> Iterator[str]:
    rates = {name: value for name, value in metrics.items() if "tokens_per" in name}
    yield bar_chart("tokens a second", rates, label=LABEL)


def _partial(metrics: Numbers) -> Iterator[str]:
    yield partial_chart(metrics)


def _scores(metrics: Numbers) -> Iterator[str]:
    """All F1 of a result, if there are some to compare."""
    scores = {name: value for name, value in metrics.items() if "f1" in name}
    if len(scores) > 1 and not scores.keys() <= {"test_f1", "dev_f1"}:
        least = max(0.0, min(scores.values()) - 2)
        yield bar_chart(f"F1 (bars begin at {least:.0f})", scores, label=LABEL, least=least)


PLOTS: Mapping[str, Callable[[Numbers], Iterator[str]]] = {
    "table1": _features,
    "table3": _training_data,
    "trilingual": _trilingual,
    "ablations": _ablations,
    "speed": _speed,
    "partial": _partial,
}
"""By benchmark; all others show what they have of F1."""
