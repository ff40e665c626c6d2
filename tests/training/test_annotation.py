"""Which labels a corpus leaves open for a fragment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.features.fragments import all_fragments
from fofe.text.labels import mapped
from fofe.training.annotation import Annotation, LabelledSentence
from fofe.training.examples import DISJOINT, EXACT, OVERLAPPING, UNSEEN, make_examples

LABELS = ["NONE", "GPE", "LOC", "ORG", "PER", "PER_NOM"]
MAPPING = {
    "LOC": frozenset(["GPE", "LOC"]),
    "PER": frozenset(["PER"]),
    "ORG": frozenset(["ORG"]),
}
ALL = set(LABELS)
Span = tuple[int, int]


def annotation(nested: bool = False, inside: str = "other types", around: str = "negative") -> Annotation:
    """Names of people and places are all annotated, those of organisations now and then, nominals never."""
    return Annotation(MAPPING, frozenset(["PER", "LOC"]), nested, inside, around)


OPEN = {"NONE", "ORG", "PER_NOM"}
"""What a fragment without a label may be there."""


def targets(sentence: LabelledSentence, how: Annotation, max_words: int = 9) -> dict[Span, set[str]]:
    offsets = np.array([0, len(sentence.words)])
    examples = make_examples([sentence], LABELS, max_words, [(how, 1)])
    fragments = all_fragments(offsets, max_words)
    return {
        (int(first), int(last) + 1): {
            label for label, yes in zip(LABELS, examples.target_sets[target], strict=True) if yes
        }
        for first, last, target in zip(fragments.firsts, fragments.lasts, examples.targets, strict=True)
    }


def categories(sentence: LabelledSentence, how: Annotation) -> set[int]:
    return set(make_examples([sentence], LABELS, 9, [(how, 1)]).categories.tolist())


WORDS = ["the", "University", "of", "Toronto", "won"]


def test_a_mention_may_be_any_label_that_its_own_stands_for() -> None:
    sentence = LabelledSentence(WORDS, [(3, 4, "LOC")])
    assert targets(sentence, annotation(nested=True))[3, 4] == {"GPE", "LOC"}
    both = LabelledSentence(WORDS, [(3, 4, "LOC"), (3, 4, "ORG")])
    assert targets(both, annotation(nested=True))[3, 4] == {"GPE", "LOC", "ORG"}


def test_what_has_no_label_may_be_what_the_corpus_does_not_annotate() -> None:
    found = targets(LabelledSentence(WORDS, [(3, 4, "LOC")]), annotation(nested=True))
    assert all(found[span] == OPEN for span in found if span != (3, 4))


def test_inside_and_around_a_mention_of_a_flat_corpus() -> None:
    sentence = LabelledSentence(WORDS, [(1, 4, "PER")])
    found = targets(sentence, annotation())
    assert found[3, 4] == found[1, 3] == ALL - {"PER"}, "anything but another of the same label"
    assert found[0, 4] == found[1, 5] == OPEN, "an outermost mention is the longest"
    assert found[0, 2] == found[3, 5] == OPEN, "mentions do not cross"
    assert targets(sentence, annotation(inside="unknown"))[3, 4] == ALL
    assert targets(sentence, annotation(inside="negative"))[3, 4] == OPEN
    assert targets(sentence, annotation(around="unknown"))[0, 5] == ALL
    assert targets(sentence, annotation(around="unknown"))[0, 3] == OPEN
    assert targets(sentence, annotation(nested=True))[3, 4] == OPEN


def test_unknown_text_is_open_but_for_what_crosses_a_mention() -> None:
    sentence = LabelledSentence(WORDS, [(1, 4, "PER")], unknown=((0, 5),))
    nested = targets(sentence, annotation(nested=True))
    assert nested[1, 4] == {"PER"}
    assert nested[3, 5] == OPEN
    assert nested[0, 1] == nested[3, 4] == nested[0, 5] == ALL
    flat = targets(sentence, annotation())
    assert flat[0, 1] == ALL
    assert flat[0, 5] == OPEN, "what holds an outermost mention is none, whatever is unknown beside it"


def test_a_fragment_that_touches_unknown_text_is_unknown() -> None:
    found = targets(LabelledSentence(WORDS, [], unknown=((3, 4),)), annotation())
    assert {span for span, admissible in found.items() if admissible == ALL} == {
        (start, end) for start in range(4) for end in range(4, 6)
    }


def test_marked_negatives_are_none_wherever_they_stand() -> None:
    sentence = LabelledSentence(WORDS, [(1, 4, "PER")], unknown=((0, 5),), negatives=((0, 1), (1, 4)))
    found = targets(sentence, annotation())
    assert found[0, 1] == {"NONE"}
    assert found[1, 4] == {"PER"}, "a mention is one, whatever else is said"
    assert found[4, 5] == ALL


def test_what_may_be_anything_is_never_drawn() -> None:
    sentence = LabelledSentence(WORDS, [(1, 4, "PER")], unknown=((0, 5),))
    assert categories(sentence, annotation(nested=True)) == {EXACT, OVERLAPPING, UNSEEN}
    assert categories(LabelledSentence(WORDS, []), annotation()) == {DISJOINT}


@given(st.lists(st.sampled_from(["flat", "nested"]), min_size=1, max_size=4))
def test_each_corpus_is_judged_by_its_own_annotation(order: list[str]) -> None:
    sentence = LabelledSentence(WORDS, [(1, 4, "PER")])
    by_name = {"flat": annotation(), "nested": annotation(nested=True)}
    together = make_examples([sentence] * len(order), LABELS, 3, [(by_name[n], 1) for n in order])
    for number, name in enumerate(order):
        alone = targets(sentence, by_name[name], 3)
        part = together.fragments.sentences == number
        sets = together.target_sets[together.targets[part]]
        assert [{label for label, yes in zip(LABELS, row, strict=True) if yes} for row in sets] == list(
            alone.values()
        )


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("PLACE", {"GPE", "LOC"}),
        ("PLACE_NOM", {"GPE_NOM", "LOC_NOM"}),
        ("PER", {"PER"}),
        ("PER_NOM", {"PER_NOM"}),
        ("ORG_NOM", {"PER"}),
        ("ORG", {"ORG"}),
        ("MISC", set()),
        ("X", {"NONE", "PER"}),
        ("X_NOM", {"NONE", "PER_NOM"}),
    ],
)
def test_labels_are_mapped_by_themselves_or_by_their_type(own: str, expected: set[str]) -> None:
    mapping = {"PLACE": ["GPE", "LOC"], "ORG_NOM": ["PER"], "MISC": [], "X": ["NONE", "PER"]}
    assert mapped(own, mapping) == expected
