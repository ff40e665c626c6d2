from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from fofe.evaluate.check import check_corpus
from fofe.text.document import Document, Mention

TEXT = "a b c d e f g h"
spans = st.tuples(st.integers(0, 7), st.integers(0, 7)).map(lambda ends: (2 * min(ends), 2 * max(ends) + 1))


def document(found: list[tuple[int, int]], type: str = "X") -> Document:
    built = Document.from_words([TEXT.split()])
    built.mentions = [Mention(start, end, type, text=TEXT[start:end]) for start, end in found]
    return built


def contains(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    return outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]


def depth(span: tuple[int, int], all_spans: set[tuple[int, int]]) -> int:
    """The longest chain of spans, each inside the one before it, that ends in this span."""
    return 1 + max((depth(other, all_spans) for other in all_spans if contains(other, span)), default=0)


@given(st.lists(spans, max_size=8))
def test_depth_and_crossing_follow_their_definition(found: list[tuple[int, int]]) -> None:
    result = check_corpus([document(found)])
    distinct = set(found)
    depths = [depth(span, distinct) for span in distinct]
    assert result.depths == {level: depths.count(level) for level in set(depths)}
    assert result.findings.counts["same_span"] == len(found) - len(distinct)
    assert result.findings.counts["crossing"] == sum(
        a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1] for a, b in combinations(distinct, 2)
    )


@given(st.lists(spans, min_size=1, max_size=8), st.integers(1, 8))
def test_recall_ceiling_is_the_share_of_mentions_that_are_short_enough(
    found: list[tuple[int, int]], max_words: int
) -> None:
    result = check_corpus([document(found)], max_words=max_words)
    short = sum(len(TEXT[start:end].split()) <= max_words for start, end in found)
    assert abs(result.recall_ceiling - 100 * short / len(found)) < 1e-9
    assert result.findings.counts["long"] == len(found) - short


def test_counts_add_up_over_documents() -> None:
    result = check_corpus([document([(0, 1)], "PER"), document([(0, 1), (2, 3)], "LOC"), Document("")])
    assert (result.documents, result.sentences, result.tokens, result.mentions) == (3, 2, 16, 3)
    assert result.labels == {"LOC": 2, "PER": 1}
    assert result.two_ways == [("a", {"PER": 1, "LOC": 1})]
    assert result.findings.counts["repeated_sentences"] == result.findings.counts["contradictions"] == 1
    assert result.findings.counts["documents_without_tokens"] == 1


def test_nothing_at_all() -> None:
    result = check_corpus([])
    assert result.mentions == 0
    assert result.recall_ceiling == 100.0
