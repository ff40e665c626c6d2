from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval import scheme as seqeval_schemes

from fofe.base.errors import InputError
from fofe.formats.tag_schemes import (
    NEEDLESS,
    ORPHAN,
    TAG_SCHEMES,
    UNFINISHED,
    TagScheme,
    TagSpan,
    detect_tag_scheme,
    tag_scheme,
)

LABELS = ("PER", "LOC", "creative-work")
STRICT = {
    "IOB1": seqeval_schemes.IOB1,
    "IOB2": seqeval_schemes.IOB2,
    "BIOES": seqeval_schemes.IOBES,
    "BILOU": seqeval_schemes.BILOU,
}

schemes = st.sampled_from(TAG_SCHEMES)


@st.composite
def flat_spans(draw: st.DrawFn) -> tuple[list[TagSpan], int]:
    """Spans in order that do not overlap, and the length of their sentence."""
    lengths = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), max_size=5))
    spans, position = [], 0
    for gap, length in lengths:
        start = position + gap
        spans.append((start, start + length, draw(st.sampled_from(LABELS))))
        position = start + length
    return spans, position + draw(st.integers(0, 2))


@st.composite
def any_tags(draw: st.DrawFn) -> tuple[TagScheme, list[str]]:
    """A scheme and tags in its letters, in any order, broken ones included."""
    scheme = draw(schemes)
    tag = st.builds("{}-{}".format, st.sampled_from(sorted(scheme.letters)), st.sampled_from(LABELS))
    return scheme, draw(st.lists(st.one_of(st.just("O"), tag), max_size=12))


def as_bioes(scheme: TagScheme, tags: list[str]) -> list[str]:
    """The same tags in the letters that seqeval knows."""
    marks_ends = scheme.end != scheme.inside
    letters = {scheme.inside: "I", scheme.begin: "B"}
    if marks_ends:
        letters |= {scheme.end: "E", scheme.single: "S"}
    return [tag if tag == "O" else letters[tag[0]] + tag[1:] for tag in tags]


@given(any_tags())
def test_reads_any_sequence_as_seqeval_and_conlleval_do(case: tuple[TagScheme, list[str]]) -> None:
    from seqeval.metrics.sequence_labeling import get_entities  # here, since it loads scikit-learn

    scheme, tags = case
    spans, _ = scheme.decode(tags)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = get_entities(as_bioes(scheme, tags))
    assert [(label, start, end - 1) for start, end, label in spans] == expected


@given(schemes, flat_spans())
def test_what_is_encoded_is_decoded_without_fault(scheme: TagScheme, case: tuple[list[TagSpan], int]) -> None:
    spans, length = case
    tags = scheme.encode(spans, length)
    assert len(tags) == length
    assert scheme.decode(tags) == (spans, [])


@given(st.sampled_from(sorted(STRICT)), flat_spans())
def test_encoding_satisfies_the_strict_schemes_of_seqeval(name: str, case: tuple[list[TagSpan], int]) -> None:
    spans, length = case
    tags = tag_scheme(name).encode(spans, length)
    found = seqeval_schemes.Entities([tags], STRICT[name]).entities[0]
    assert [(entity.start, entity.end, entity.tag) for entity in found] == spans


@given(any_tags())
def test_a_sequence_without_faults_is_what_the_encoder_writes(case: tuple[TagScheme, list[str]]) -> None:
    scheme, tags = case
    spans, faults = scheme.decode(tags)
    assert (scheme.encode(spans, len(tags)) == tags) == (not faults)


@given(schemes, st.lists(flat_spans(), min_size=1, max_size=4))
def test_detected_scheme_reads_the_same_mentions(
    scheme: TagScheme, cases: list[tuple[list[TagSpan], int]]
) -> None:
    sentences = [scheme.encode(spans, length) for spans, length in cases]
    found = detect_tag_scheme(sentences)
    for tags, (spans, _) in zip(sentences, cases, strict=True):
        assert found.decode(tags) == (spans, [])


@pytest.mark.parametrize(
    ("sentences", "name"),
    [
        ([["B-PER", "I-PER", "O"]], "IOB2"),
        ([["I-PER", "I-PER", "O"], ["I-LOC", "B-LOC"]], "IOB1"),
        ([["B-PER", "I-PER", "O"], ["B-LOC"], ["I-ORG"]], "IOB2"),
        ([["I-PER", "O"], ["I-LOC", "I-LOC"], ["B-ORG"]], "IOB1"),
        ([["B-PER", "I-PER", "E-PER", "S-LOC"]], "BIOES"),
        ([["B-PER", "E-PER"]], "BIOES"),
        ([["B-PER", "M-PER", "E-PER", "S-LOC"]], "BMES"),
        ([["B-PER", "E-PER", "W-LOC"]], "BMEWO"),
        ([["B-PER", "L-PER", "U-LOC"]], "BILOU"),
        ([["O", "O"]], "IOB2"),
        ([], "IOB2"),
    ],
)
def test_scheme_is_recognised(sentences: list[list[str]], name: str) -> None:
    assert detect_tag_scheme(sentences).name == name


def test_letters_of_two_schemes_are_an_error_that_lists_the_schemes() -> None:
    with pytest.raises(InputError, match=r"E, L fit no tag scheme.*IOB2, IOB1, BIOES, BMES, BMEWO, BILOU"):
        detect_tag_scheme([["E-PER", "L-PER"]])


@pytest.mark.parametrize(("name", "expected"), [("bio", "IOB2"), ("IOBES", "BIOES"), ("bilou", "BILOU")])
def test_schemes_have_other_names(name: str, expected: str) -> None:
    assert tag_scheme(name).name == expected


def test_unknown_scheme_names_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'IOB'.*use one of IOB2, IOB1"):
        tag_scheme("IOB")


@pytest.mark.parametrize(
    ("name", "tags", "faults"),
    [
        ("IOB2", ["O", "I-PER", "I-PER"], [(1, ORPHAN)]),
        ("IOB2", ["B-PER", "I-LOC"], [(1, ORPHAN)]),
        ("IOB1", ["O", "B-PER", "I-PER"], [(1, NEEDLESS)]),
        ("IOB1", ["I-PER", "B-PER"], []),
        ("BIOES", ["B-PER", "I-PER", "O"], [(1, UNFINISHED)]),
        ("BIOES", ["E-PER", "S-PER"], [(0, ORPHAN)]),
        ("BILOU", ["B-PER"], [(0, UNFINISHED)]),
    ],
)
def test_broken_tags_are_named(name: str, tags: list[str], faults: list[tuple[int, str]]) -> None:
    assert tag_scheme(name).decode(tags)[1] == faults
