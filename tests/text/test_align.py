"""Mentions and regions as tokens."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from fofe.text.align import TokenSpan, align, characters_of, token_regions, tokens_of
from fofe.text.document import Document, Mention, Region
from fofe.text.tokenise import tokeniser

TEXT = "Mary Shapiro left Washington. She can't stay in New York."


def span_of(document: Document, part: str) -> TokenSpan | None:
    start = document.text.index(part)
    return tokens_of(document, start, start + len(part))


def test_spans_on_token_borders_are_found() -> None:
    document = tokeniser("en").document(TEXT)
    assert span_of(document, "Mary Shapiro") == (0, 0, 2)
    assert span_of(document, "Washington") == (0, 3, 4)
    assert span_of(document, "She") == (1, 0, 1)
    assert span_of(document, "n't stay") == (1, 2, 4)
    assert span_of(document, "New York.") == (1, 5, 8)


def test_spans_off_token_borders_are_not() -> None:
    document = tokeniser("en").document("  " + TEXT)
    for part in ("ary", "Mary Shap", " left", "left ", "Washington. She", "can't s"):
        assert span_of(document, part) is None
    for start, end in ((0, 2), (2, 2), (6, 2), (len(TEXT), len(TEXT) + 9), (-4, -1)):
        assert tokens_of(document, start, end) is None
    assert tokens_of(Document(""), 0, 1) is None


words = st.text(st.characters(codec=None), min_size=1, max_size=5)


@settings(deadline=None)
@given(st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=4), st.data())
def test_tokens_to_characters_and_back(sentences: list[list[str]], data: st.DataObject) -> None:
    document = Document.from_words(sentences)
    sentence = data.draw(st.integers(0, len(sentences) - 1))
    start = data.draw(st.integers(0, len(sentences[sentence]) - 1))
    end = data.draw(st.integers(start + 1, len(sentences[sentence])))
    span = TokenSpan(sentence, start, end)
    assert tokens_of(document, *characters_of(document, span)) == span


@settings(deadline=None)
@given(
    st.sampled_from(["en", "es", "zh", "xx"]), st.text(max_size=40), st.integers(0, 40), st.integers(0, 40)
)
def test_a_span_that_is_found_covers_exactly_its_characters(
    language: str, text: str, start: int, end: int
) -> None:
    document = tokeniser(language).document(text)
    span = tokens_of(document, start, end)
    borders = [(sentence.tokens[i].start, sentence.tokens[j].end)
               for sentence in document.sentences
               for i in range(len(sentence)) for j in range(i, len(sentence))]  # fmt: skip
    assert (span is not None) == ((start, end) in borders)
    if span is not None:
        assert characters_of(document, span) == (start, end)


def test_mentions_are_parted_into_aligned_and_the_rest() -> None:
    document = tokeniser("en").document(TEXT)
    person, city, broken = Mention(0, 12, "PER"), Mention(18, 28, "LOC"), Mention(1, 4, "PER")
    document.mentions = [broken, city, person]
    aligned, rest = align(document)
    assert aligned == [(TokenSpan(0, 3, 4), city), (TokenSpan(0, 0, 2), person)]
    assert rest == [broken]


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
        for status, spans in found[number].items():
            if status == "negative":
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
        for start, end in marks["negative"]
    }
    lost = {region[:2] for region in rest if region.status == "negative"}
    assert negatives | lost == {region[:2] for region in document.regions if region.status == "negative"}
    assert not negatives & lost
