"""Labelled sentences as training examples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.report import Report
from fofe.features.fragments import all_fragments
from fofe.text.document import Document, Mention
from fofe.training.annotation import LabelledSentence, labelled_sentences
from fofe.training.examples import DISJOINT, EXACT, OVERLAPPING, MentionPositions, make_examples


def test_sentences_and_token_spans_of_documents() -> None:
    document = Document.from_words([["Anna", "Berg", "left", "."], ["The", "mayor", "stayed", "."]])
    document.mentions = [Mention(0, 9, "PER"), Mention(5, 9, "X"), Mention(21, 26, "PER", "NOM")]
    report = Report()
    found = labelled_sentences([document, Document("")], report)
    assert found == [
        LabelledSentence(["Anna", "Berg", "left", "."], [(0, 2, "PER"), (1, 2, "X")], opens=True),
        LabelledSentence(["The", "mayor", "stayed", "."], [(1, 2, "PER_NOM")], opens=False),
    ]
    assert not report


def test_what_no_fragment_can_be_is_left_out_and_counted() -> None:
    document = Document.from_words([["Anna", "Berg"], ["left", "."]], id="d7")
    inside, across = Mention(0, 3, "PER"), Mention(5, 14, "PER")
    document.mentions = [inside, across, Mention(5, 9, "PER")]
    report = Report()
    found = labelled_sentences([document], report)
    assert [sentence.spans for sentence in found] == [[(1, 2, "PER")], []]
    assert report.lines() == [
        r"2 mentions not on token borders left out (first: d7 0:3 'Ann', d7 5:14 'Berg\nleft')"
    ]


spans = st.tuples(st.integers(0, 7), st.integers(1, 5), st.sampled_from("AB"))
sentences_of_spans = st.lists(
    st.tuples(st.integers(1, 8), st.lists(spans, max_size=4)), min_size=1, max_size=4
)


@given(sentences_of_spans, st.integers(1, 5))
def test_categories_and_targets_are_those_of_the_definitions(
    drawn: list[tuple[int, list[tuple[int, int, str]]]], max_words: int
) -> None:
    sentences = [
        LabelledSentence(
            ["w"] * length,
            [(start, start + size, label) for start, size, label in found if start + size <= length],
        )
        for length, found in drawn
    ]
    offsets = np.cumsum([0, *(len(sentence.words) for sentence in sentences)])
    labels = ["NONE", "A", "B"]
    examples = make_examples(sentences, labels, max_words)
    fragments = all_fragments(offsets, max_words)
    assert np.array_equal(examples.fragments.firsts, fragments.firsts)
    for number, (sentence, first, last) in enumerate(
        zip(fragments.sentences, fragments.firsts, fragments.lasts, strict=True)
    ):
        start, end = first - offsets[sentence], last + 1 - offsets[sentence]
        mentions = sentences[sentence].spans
        exact = {label for begin, finish, label in mentions if (begin, finish) == (start, end)}
        touching = any(begin < end and start < finish for begin, finish, _ in mentions)
        category = EXACT if exact else OVERLAPPING if touching else DISJOINT
        assert examples.categories[number] == category
        admissible = {
            label
            for label, yes in zip(labels, examples.target_sets[examples.targets[number]], strict=True)
            if yes
        }
        assert admissible == (exact or {"NONE"})
    assert np.array_equal(examples.fragments.sentences, fragments.sentences)


def test_mentions_longer_than_a_fragment_are_still_no_plain_text() -> None:
    sentence = LabelledSentence(list("abcde"), [(0, 4, "ORG")])
    examples = make_examples([sentence], ["NONE", "ORG"], max_words=2)
    assert (examples.categories == EXACT).sum() == 0
    assert (examples.categories == DISJOINT).sum() == 1, "only the last word alone touches nothing"


Spans = list[tuple[int, int, str]]

sentence_lengths = st.lists(st.integers(1, 7), min_size=1, max_size=3)


@st.composite
def positioned(draw: st.DrawFn) -> list[tuple[int, Spans]]:
    found = []
    for length in draw(sentence_lengths):
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


@given(positioned(), st.integers(1, 6))
def test_positions_are_those_of_the_definitions(drawn: list[tuple[int, Spans]], max_words: int) -> None:
    offsets = np.cumsum([0, *(length for length, _ in drawn)])
    sentences = [LabelledSentence(["w"] * length, spans) for length, spans in drawn]
    positions = MentionPositions(sentences, max_words)
    flat = [replace(sentence, spans=without_overlaps(sentence.spans)) for sentence in sentences]
    fragments = all_fragments(offsets, max_words)
    touching, crossing, around, inside = (
        positions.touching(),
        positions.crossing(),
        positions.around(),
        MentionPositions(flat, max_words).inside(),
    )
    exact = positions.exact()
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
        labels = {label for start, end, label in mentions if (start, end) == (first, last)}
        assert exact.get(number, set()) == labels


def test_unknown_regions_and_marked_negatives() -> None:
    sentences = [
        LabelledSentence(list("abc"), [(1, 3, "A")], unknown=((0, 1), (0, 2)), negatives=((1, 2), (0, 3))),
        LabelledSentence(["d"], []),
        LabelledSentence(list("ef"), [], unknown=((1, 2),)),
    ]
    positions = MentionPositions(sentences, 2)
    assert positions.unknown().tolist() == [True] * 4 + [False, False, False, True, True]
    assert positions.exact() == {2: set(), 3: {"A"}}, "a fragment of three words is too long"
