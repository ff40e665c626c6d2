"""How fragments lie to mentions, against the definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fofe.features.fragments import all_fragments
from fofe.training.places import marked, mention_places

Spans = list[tuple[int, int, str]]

lengths = st.lists(st.integers(1, 7), min_size=1, max_size=3)


@st.composite
def sentences(draw: st.DrawFn) -> list[tuple[int, Spans]]:
    found = []
    for length in draw(lengths):
        spans = []
        for _ in range(draw(st.integers(0, 3))):
            start = draw(st.integers(0, length - 1))
            spans.append((start, draw(st.integers(start + 1, length)), draw(st.sampled_from("AB"))))
        found.append((length, spans))
    return found


def without_overlaps(spans: Spans) -> Spans:
    kept: Spans = []
    for span in spans:
        if all(span[1] <= start or end <= span[0] for start, end, _ in kept):
            kept.append(span)
    return kept


@given(sentences(), st.integers(1, 6))
def test_places_are_those_of_the_definitions(drawn: list[tuple[int, Spans]], max_words: int) -> None:
    offsets = np.cumsum([0, *(length for length, _ in drawn)])
    places = mention_places([spans for _, spans in drawn], offsets, max_words)
    flat = mention_places([without_overlaps(spans) for _, spans in drawn], offsets, max_words)
    fragments = all_fragments(offsets, max_words)
    touching, crossing, around, inside = (
        places.touching(),
        places.crossing(),
        places.around(),
        flat.inside(),
    )
    for number in range(len(fragments)):
        sentence = fragments.sentences[number]
        first = fragments.firsts[number] - offsets[sentence]
        last = fragments.lasts[number] + 1 - offsets[sentence]
        mentions = drawn[sentence][1]
        overlapping = [(start, end) for start, end, _ in mentions if start < last and first < end]
        holding = [(start, end) for start, end in overlapping if start <= first and last <= end]
        held = [(start, end) for start, end in overlapping if first <= start and end <= last]
        assert touching[number] == bool(overlapping)
        assert crossing[number] == any(span not in holding and span not in held for span in overlapping)
        assert around[number] == bool(held)
        for label in inside:
            expected = any(
                start <= first and last <= end and label == own
                for start, end, own in without_overlaps(mentions)
            )
            assert inside[label][number] == expected
        assert places.fragment(int(fragments.firsts[number]), last - first) == number


def test_marked_tokens() -> None:
    tokens = marked([[(0, 1), (0, 2)], [], [(1, 2)]], np.array([0, 3, 4, 6]))
    assert tokens.tolist() == [True, True, False, False, False, True]
