"""Regions as tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fofe.text.document import Document, Region
from fofe.text.regions import token_regions

regions = st.tuples(st.integers(0, 19), st.integers(1, 12), st.sampled_from(["unknown", "known", "negative"]))


@given(
    st.lists(st.lists(st.sampled_from(["a", "bb", "ccc"]), min_size=1, max_size=4), min_size=1, max_size=3),
    st.lists(regions, max_size=4),
)
def test_tokens_are_those_of_the_definitions(
    sentences: list[list[str]], drawn: list[tuple[int, int, str]]
) -> None:
    document = Document.from_words(sentences)
    document.regions = [Region(start, start + length, status) for start, length, status in drawn]
    found, rest = token_regions(document)
    for number, sentence in enumerate(document.sentences):
        for status, spans in vars(found[number]).items():
            if status == "negatives":
                continue
            inside = {position for start, end in spans for position in range(start, end)}
            for position, token in enumerate(sentence.tokens):
                expected = any(
                    (region.start < token.end and token.start < region.end)
                    if status == "unknown"
                    else (region.start <= token.start and token.end <= region.end)
                    for region in document.regions
                    if region.status == status
                )
                assert (position in inside) == expected
    negatives = {
        (sentence.tokens[start].start, sentence.tokens[end - 1].end)
        for sentence, marks in zip(document.sentences, found, strict=True)
        for start, end in marks.negatives
    }
    lost = {region[:2] for region in rest if region.status == "negative"}
    assert negatives | lost == {region[:2] for region in document.regions if region.status == "negative"}
    assert not negatives & lost
