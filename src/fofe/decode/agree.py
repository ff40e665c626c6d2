"""Mentions of the same text near one another, which are nearly always of one type.

Each fragment is judged on its own, and where its sentence tells little, its type is little more than a guess.
A name that is plain in one sentence tells what it is in those around it: whether *Barcelona* is the city or
the club, say. The types that it has elsewhere count as further evidence; whether it is a mention at all does
not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fofe._arrays import BoolArray, FloatArray, IntArray
from fofe.decode.select import NONE_COLUMN
from fofe.encode.fragments import Fragments

NEAR = 500
"""How many tokens apart mentions may be to count for one another."""
WORTH_IT = 0.2
"""Fragments that are a mention with less probability than this are left as they are: none will become one."""
SURE = 0.5
"""How probable it must be that a fragment is a mention for its type to count elsewhere."""
SLIPS = 1e-3
"""Added to every probability: no single judgement is so sure that others could not outvote it."""


def agreed(
    probabilities: FloatArray,
    fragments: Fragments,
    sentences: Sequence[Sequence[str]],
    opens: Sequence[bool],
    weight: float,
) -> FloatArray:
    """[F, K] the label probabilities of fragments, where those of the same text and document agree more.

    Args:
        probabilities: [F, K] of each fragment on its own, NONE first.
        fragments: F fragments of the sentences.
        sentences: their words.
        opens: which of the sentences open a document.
        weight: what the judgement of another sentence counts beside its own; 0 changes nothing.
    """
    mention = 1 - probabilities[:, NONE_COLUMN]
    chosen = np.flatnonzero(mention >= WORTH_IT)
    if not weight or not len(chosen):
        return probabilities
    logs = np.log(probabilities[chosen, 1:] / mention[chosen, None] + SLIPS)
    made = logs.copy()
    for same in _same_text(fragments.take(chosen), sentences, opens):
        near = _near(fragments.take(chosen[same])) & (mention[chosen[same]] > SURE)
        made[same] += np.float32(weight) * (near.astype(np.float32) @ logs[same])
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


def _near(fragments: Fragments) -> BoolArray:
    """[N, N] which fragments of the same text count for each: those near it, but not in its own sentence.

    Where a text stands twice in one sentence, it is often because two things share a name.
    """
    apart = np.abs(fragments.firsts[:, None] - fragments.firsts)
    near: BoolArray = (apart <= NEAR) & (fragments.sentences[:, None] != fragments.sentences)
    return near
