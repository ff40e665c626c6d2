"""Mentions of the same text near one another, which are nearly always of one type.

Each fragment is scored on its own, and where its sentence says little, its type is little more than a guess.
A name that is plain in one sentence shows what it is in those around it: whether *Barcelona* is the city or
the club, say. The types that it has elsewhere count as further evidence. How probable it is that it is a
mention at all does not change, but types that agree reach a threshold that divided ones miss.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.decode.candidates import NONE_COLUMN
from fofe.features.fragments import Fragments

NEAR = 500
"""How many tokens apart mentions may be to count for one another."""
WORTH_IT = 0.2
"""Fragments that are a mention with less probability than this are left as they are: there are very many."""
SURE = 0.5
"""How probable it must be that a fragment is a mention for its type to count elsewhere."""
SLIPS = 1e-3
"""Added to every probability: no single score is so sure that others could not outvote it."""


def agreed(
    probabilities: FloatArray,
    fragments: Fragments,
    sentences: Sequence[Sequence[str]],
    opens: Sequence[bool],
    weight: float,
) -> FloatArray:
    """[F, K] the label probabilities of fragments, where those of the same text and document agree more.

    `probabilities` [F, K] are those of each fragment on its own, NONE first; `opens` says which of the
    sentences open a document. `weight` is what the scores of another sentence count beside its own; 0 changes
    nothing.
    """
    mention = 1 - probabilities[:, NONE_COLUMN]
    chosen = np.flatnonzero(mention >= WORTH_IT)
    if not weight or not len(chosen):
        return probabilities
    found = fragments.take(chosen)
    logs = np.log(probabilities[chosen, 1:] / mention[chosen, None] + SLIPS)
    counted = np.where(mention[chosen, None] > SURE, logs, 0).astype(np.float64)
    made = logs.copy()
    for same in _same_text(found, sentences, opens):
        made[same] += (weight * _of_others(found.take(same), counted[same])).astype(np.float32)
    types = np.exp(made - made.max(axis=1, keepdims=True))
    changed = probabilities.copy()
    changed[chosen, 1:] = types * (mention[chosen] / types.sum(axis=1))[:, None]
    return changed


def _same_text(
    fragments: Fragments, sentences: Sequence[Sequence[str]], opens: Sequence[bool]
) -> Iterable[IntArray]:
    """The numbers of fragments that have the same words in one document, whatever their capitals."""
    words = [word.lower() for sentence in sentences for word in sentence]
    documents = np.cumsum(opens)[fragments.sentences]
    found: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    for number, (document, first, last) in enumerate(
        zip(documents.tolist(), fragments.firsts.tolist(), fragments.lasts.tolist(), strict=True)
    ):
        found.setdefault((document, tuple(words[first : last + 1])), []).append(number)
    return (np.array(same) for same in found.values() if len(same) > 1)


def _of_others(fragments: Fragments, values: FloatArray) -> FloatArray:
    """[N, K] the sums of the values [N, K] of those that count for each of N fragments of the same text.

    That is those near it, but not in its own sentence: where a text stands twice in one, it is often because
    two things share a name. The fragments are in the order of the text, so that sums of runs will do, and a
    text that is repeated without end costs no more than others.
    """
    order = np.argsort(fragments.firsts, kind="stable")
    firsts, sentences = fragments.firsts[order], fragments.sentences[order]
    until = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values[order], axis=0)])
    first_near = np.searchsorted(firsts, firsts - NEAR, side="left")
    end_near = np.searchsorted(firsts, firsts + NEAR, side="right")
    first_own = np.maximum(first_near, np.searchsorted(sentences, sentences, side="left"))
    end_own = np.minimum(end_near, np.searchsorted(sentences, sentences, side="right"))
    sums = np.empty_like(values)
    sums[order] = (until[end_near] - until[first_near]) - (until[end_own] - until[first_own])
    return sums
