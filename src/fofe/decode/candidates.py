"""From the probabilities of fragments to candidate mentions."""

from collections.abc import Sequence

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.decode.resolve import Candidate
from fofe.features.fragments import Fragments
from fofe.text.document import Token
from fofe.text.marks import without_lone_marks

NONE_COLUMN = 0
"""Where the probability of NONE stands; the labels follow."""


def select(
    fragments: Fragments,
    token_offsets: IntArray,
    probabilities: FloatArray,
    labels: Sequence[str],
    *,
    threshold: float | FloatArray,
    for_recall: bool = False,
) -> list[list[Candidate]]:
    """The candidates of each sentence: fragments whose label is likelier than NONE and reaches its threshold.

    `probabilities` [F, K] are those of the K labels, NONE first; `token_offsets` [S + 1] say where the tokens
    of each sentence begin. `threshold` may be one for each label [K]. `for_recall` takes the best label other
    than NONE even where NONE is more likely.
    """
    thresholds = np.broadcast_to(threshold, probabilities.shape[1:])
    best = best_labels(probabilities, thresholds)
    scores = probabilities[np.arange(len(best)), best]
    wanted = scores >= thresholds[best]
    if not for_recall:
        wanted &= scores > probabilities[:, NONE_COLUMN]
    chosen = np.flatnonzero(wanted)
    sentences = fragments.sentences[chosen]
    starts = fragments.firsts[chosen] - token_offsets[sentences]
    ends = fragments.lasts[chosen] + 1 - token_offsets[sentences]
    found: list[list[Candidate]] = [[] for _ in range(len(token_offsets) - 1)]
    columns = (sentences, starts, ends, best[chosen], scores[chosen])
    for sentence, start, end, label, score in zip(*(column.tolist() for column in columns), strict=True):
        found[sentence].append(Candidate(start, end, labels[label], score))
    return found


def best_labels(probabilities: FloatArray, thresholds: FloatArray) -> IntArray:
    """[F] the column of the label of each fragment, from probabilities [F, K] and thresholds [K].

    It is the likeliest but NONE. Where this does not reach its threshold, the likeliest of those that do
    stands in for it, unless the likeliest is not wanted at all.
    """
    best: IntArray = probabilities[:, 1:].argmax(axis=1) + 1
    if (thresholds[1:] == thresholds[1]).all():
        return best
    own = thresholds[best]
    below = (probabilities[np.arange(len(best)), best] < own) & np.isfinite(own)
    rest = np.flatnonzero(below & (1 - probabilities[:, NONE_COLUMN] >= thresholds.min()))
    reaching = np.where(probabilities[rest] >= thresholds, probabilities[rest], -1)[:, 1:]
    some = reaching.max(axis=1, initial=-1) >= 0
    best[rest[some]] = reaching[some].argmax(axis=1) + 1
    return best


def of_words(tokens: Sequence[Token], candidates: list[Candidate], language: str) -> list[Candidate]:
    """The candidates with a letter or a digit, whatever a corpus says, and without lone marks at their ends.

    Of those that differ in such marks alone the best stays.
    """
    for start, end, *_ in candidates:  # faster than all() of so few
        if not (tokens[start].text[:1].isalnum() and tokens[end - 1].text[:1].isalnum()):
            break
    else:
        return candidates  # nearly always: no mark is at an end
    best: dict[tuple[int, int], Candidate] = {}
    for candidate in candidates:
        start, end = candidate[:2]
        words = [token.text for token in tokens[start:end]]
        first, last = without_lone_marks(words, language)
        if any(char.isalnum() for word in words[first:last] for char in word):
            span = start + first, start + last
            if span not in best or best[span].score < candidate.score:
                best[span] = candidate._replace(start=span[0], end=span[1])
    return list(best.values())
