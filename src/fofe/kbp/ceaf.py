"""CEAF by mentions (Luo, 2005): how many mentions two clusterings share if clusters are paired one to one."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Set

import numpy as np
from numpy.typing import NDArray

Clusters = Mapping[str, Set[Hashable]]
"""The mentions of each entity."""


def shared_mentions(true: Clusters, guess: Clusters) -> int:
    """The mentions that are shared under the best pairing of clusters."""
    owners: defaultdict[Hashable, list[str]] = defaultdict(list)
    for entity, mentions in true.items():
        for mention in mentions:
            owners[mention].append(entity)
    overlaps = {
        entity: Counter(owner for mention in mentions for owner in owners.get(mention, ()))
        for entity, mentions in guess.items()
    }
    return sum(best_pairing(part) for part in _components(overlaps))


def _components(overlaps: Mapping[str, Counter[str]]) -> Iterator[NDArray[np.int64]]:
    """The matrices of overlaps of clusters that are connected: all others share nothing."""
    guesses: defaultdict[str, list[str]] = defaultdict(list)
    for guess, counts in overlaps.items():
        for true in counts:
            guesses[true].append(guess)
    left = set(overlaps)
    for first in overlaps:
        if first not in left:
            continue
        rows, columns, waiting = list[str](), dict[str, int](), [first]
        left.remove(first)
        while waiting:
            rows.append(waiting.pop())
            for true in overlaps[rows[-1]]:
                columns.setdefault(true, len(columns))
                found = left.intersection(guesses[true])
                left -= found
                waiting += sorted(found)
        matrix = np.zeros((len(rows), len(columns)), np.int64)
        for number, guess in enumerate(rows):
            for true, count in overlaps[guess].items():
                matrix[number, columns[true]] = count
        yield matrix


def best_pairing(weights: NDArray[np.int64]) -> int:
    """The largest sum of weights [N, M] with at most one of each row and column: the Hungarian algorithm.

    Rows are added one by one. `row_price` and `column_price` are the dual variables; number 0 of rows and
    columns stands for none.
    """
    cost = -weights if weights.shape[0] <= weights.shape[1] else -weights.T
    rows, columns = cost.shape
    row_price, column_price = np.zeros(rows + 1, np.int64), np.zeros(columns + 1, np.int64)
    row_of = np.zeros(columns + 1, np.int64)
    far = np.iinfo(np.int64).max // 4
    for row in range(1, rows + 1):
        row_of[0], column = row, 0
        slack, done = np.full(columns + 1, far), np.zeros(columns + 1, bool)
        previous = np.zeros(columns + 1, np.int64)
        while column == 0 or row_of[column]:
            done[column] = True
            current = row_of[column]
            reduced = np.full(columns + 1, far)
            reduced[1:] = cost[current - 1] - row_price[current] - column_price[1:]
            nearer = ~done & (reduced < slack)
            slack[nearer], previous[nearer] = reduced[nearer], column
            nearest = int(np.argmin(np.where(done, far, slack)))
            step = slack[nearest]
            row_price[row_of[done]] += step
            column_price[done] -= step
            slack[~done] -= step
            column = nearest
        while column:
            row_of[column], column = row_of[previous[column]], int(previous[column])
    paired = np.flatnonzero(row_of[1:])
    return int(-cost[row_of[1:][paired] - 1, paired].sum())
