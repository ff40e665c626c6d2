"""The labels of a corpus in terms of those of a model, which may be fewer or more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fofe.text.document import NONE, join_label, split_label


def mapped(own: str, mapping: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The model's labels for a label of the corpus; a label that the mapping does not name stays itself.

    The mapping may name a label (`PLACE_NOM`), or a type for both kinds: `PLACE` to `GPE, LOC` maps
    `PLACE_NOM` to `GPE_NOM, LOC_NOM`.
    """
    if own in mapping:
        return frozenset(mapping[own])
    type, kind = split_label(own)
    return frozenset(
        label if label == NONE else join_label(label, kind) for label in mapping.get(type, [type])
    )


def names_in_scores(labels: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """What each label of a corpus counts as: the first of those that share labels of the model with it."""
    names: dict[str, str] = {}
    for own, of_model in labels.items():
        some = set(of_model) - {NONE}
        sharing = {names[other] for other in names if not some.isdisjoint(labels[other])}
        first = next((name for name in names.values() if name in sharing), own)
        names = {other: first if name in sharing else name for other, name in names.items()} | {own: first}
    return names


def together(labels: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """The model's labels that each name in scores stands for."""
    joined: dict[str, frozenset[str]] = {}
    for own, name in names_in_scores(labels).items():
        joined[name] = joined.get(name, frozenset()) | frozenset(labels[own])
    return joined
