"""The pipeline that feeds models, whatever inputs come from."""

from __future__ import annotations

import pickle
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.base.workers import in_order
from fofe.tagging.batching import chunks
from fofe.tagging.model import Model
from fofe.tagging.pipeline import Input, Tagged, TagJob, given_text, mentions_only
from fofe.text.document import Document, Mention

TEXTS = [
    "Anna Berg met the mayor of Bergen.",
    "In Lima it rained.",
    "The University of Lima hired Li Wei in 2014.",
]


def started(tiny_path: Path, **options: Any) -> Any:
    return TagJob(str(tiny_path), mentions_only, **options).start()


def bad(_: Report) -> Document:
    raise InputError("is broken", path="here")


def corpus_document(text: str, report: Report) -> Document:
    report.note("read")
    return Document(text, id="d")


def test_there_is_an_output_for_each_input(tiny_path: Path, tiny_model: Model) -> None:
    inputs = [given_text("a", TEXTS[0]), given_text("b", None), Input(bad, 7), given_text("c", TEXTS[1])]
    tagged: Tagged[list[Mention]] = started(tiny_path)(inputs)
    expected = [tiny_model(text).mentions for text in TEXTS[:2]]
    assert [[m.text for m in found] if found else None for found in tagged.outputs] == [
        [m.text for m in expected[0]],
        None,
        None,
        [m.text for m in expected[1]],
    ]
    assert [str(error) for error in tagged.bad] == ["here: is broken"]
    assert tagged.documents == 2
    assert tagged.size == len(TEXTS[0]) + 7 + len(TEXTS[1])
    assert not tagged.report, "plain text comes without tokens"


def test_a_strict_job_stops_at_the_first_error(tiny_path: Path) -> None:
    tagged = started(tiny_path, strict=True)([given_text("a", TEXTS[0]), Input(bad, 1), Input(bad, 1)])
    assert len(tagged.bad) == len(tagged.outputs) == tagged.documents == 1


def test_tokens_that_a_corpus_lacks_are_reported(tiny_path: Path) -> None:
    tagged = started(tiny_path)([Input(partial(corpus_document, TEXTS[1]), 1)])
    assert tagged.report.counts == {"read": 1, "documents without tokens tokenised as en": 1}


def test_flat_keeps_the_outermost(tiny_path: Path) -> None:
    nested, flat = (
        started(tiny_path, flat=flat)([given_text("a", TEXTS[2])]).outputs[0] for flat in (False, True)
    )
    assert [mention.text for mention in nested] == ["University of Lima", "Lima", "Li Wei"]
    assert [mention.text for mention in flat] == ["University of Lima", "Li Wei"]


def test_the_writer_has_the_labels_and_makes_the_outputs(tiny_path: Path) -> None:
    job = TagJob(str(tiny_path), labelled)
    assert pickle.loads(pickle.dumps(job)) == job
    outputs = job.start()([given_text("a", TEXTS[1])]).outputs
    assert outputs == ["a: 1 of GPE, ORG, ORG_NOM, PER, PER_NOM"]


def labelled(labels: Any) -> Any:
    return lambda document, _, name: f"{name}: {len(document.mentions)} of {', '.join(labels)}"


def test_chunks_are_small_and_empty_items_count() -> None:
    assert list(chunks("a" * 7, lambda _: 4, 10)) == [["a"] * 2, ["a"] * 2, ["a"] * 2, ["a"]]
    assert [len(chunk) for chunk in chunks([""] * 25, len, 10)] == [10, 10, 5]
    assert list(chunks([], len, 10)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_their_chunks(tiny_path: Path, workers: int) -> None:
    job = TagJob(str(tiny_path), mentions_only)
    work = [[given_text("a", TEXTS[number % 3])] for number in range(7)]
    found = [len(tagged.outputs[0] or ()) for tagged in in_order(job, work, workers)]
    assert found == [(3, 1, 3)[number % 3] for number in range(7)]
