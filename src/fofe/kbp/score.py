"""Entity discovery scored as the track does: precision, recall and F1 by language and kind.

The measures are those of neleval. `strong_typed_mention_match`: a mention is right if the gold has one with
the same document, span and type. `strong_nil_match`: the same span, and both have no KB id. `mention_ceaf`
(Luo, 2005): the mentions that the entities of both sides share, if entities are paired one to one as well as
possible. NAME and NOMINAL compare mentions of that kind with one another; OVERALL leaves the kind out, so a
name that is taken for a nominal is right there. What occurs twice counts once.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fofe.evaluate.scores import Counts, score_spans
from fofe.kbp.source import CHINESE, ENGLISH, SPANISH, UNKNOWN, language_of_id
from fofe.kbp.tab import NIL, TabMention
from fofe.text.document import NAME, NOMINAL

GROUPS = {"NAME": (NAME,), "NOMINAL": (NOMINAL,), "OVERALL": (NAME, NOMINAL)}
ALL = "ALL"
_RANKS = {ENGLISH: 0, CHINESE: 1, SPANISH: 2}

Table = dict[str, dict[str, Counts]]
"""Counts by language (ENG, CMN, SPA ..., ALL) and by group."""
Mentions = Sequence[TabMention]
Measure = Callable[[Mentions, Mentions], Counts]
_Span = tuple[str, int, int]


def _typed_mentions(gold: Mentions, run: Mentions) -> Counts:
    true, guess = ({(_span(one), one.type) for one in side} for side in (gold, run))
    return score_spans([true], [guess])


def _nils(gold: Mentions, run: Mentions) -> Counts:
    true, guess = ({_span(one) for one in side if one.kb.startswith(NIL)} for side in (gold, run))
    return score_spans([true], [guess])


def _ceaf(gold: Mentions, run: Mentions) -> Counts:
    owners, clusters = defaultdict[_Span, set[str]](set), defaultdict[str, set[_Span]](set)
    for one in gold:
        owners[_span(one)].add(one.kb)
    for one in run:
        clusters[one.kb].add(_span(one))
    overlaps = {
        entity: Counter(owner for span in spans for owner in owners.get(span, ()))
        for entity, spans in clusters.items()
    }
    shared = sum(map(best_pairing, _components(overlaps)))
    return Counts(shared, sum(map(len, clusters.values())) - shared, sum(map(len, owners.values())) - shared)


def _span(mention: TabMention) -> _Span:
    return mention.document, mention.start, mention.end


def _components(overlaps: Mapping[str, Counter[str]]) -> Iterator[NDArray[np.int64]]:
    """The matrices of overlaps of entities that are connected: all others share nothing."""
    guesses = defaultdict[str, set[str]](set)
    for guess, counts in overlaps.items():
        for true in counts:
            guesses[true].add(guess)
    left = set(overlaps)
    while left:
        rows, columns = [left.pop()], set[str]()
        for guess in rows:  # which grow meanwhile
            for true in overlaps[guess].keys() - columns:
                columns.add(true)
                rows += left & guesses[true]
                left -= guesses[true]
        yield np.array([[overlaps[guess][true] for true in columns] for guess in rows], np.int64)


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


MEASURES: dict[str, Measure] = {
    "strong_typed_mention_match": _typed_mentions,
    "strong_nil_match": _nils,
    "mention_ceaf": _ceaf,
}


def score(gold: Mentions, run: Mentions, *, measure: Measure = _typed_mentions) -> Table:
    """The counts of each language that the documents have, and of all together."""
    languages = {mention.document: language_of_id(mention.document) or UNKNOWN for mention in (*gold, *run)}
    table = {}
    for language in sorted(set(languages.values()), key=lambda code: (_RANKS.get(code, len(_RANKS)), code)):
        sides = ([one for one in side if languages[one.document] == language] for side in (gold, run))
        table[language.upper()] = _by_group(measure, *sides)
    return {**table, ALL: _by_group(measure, gold, run)}


def _by_group(measure: Measure, gold: Mentions, run: Mentions) -> dict[str, Counts]:
    return {
        group: measure(*([one for one in side if one.kind in kinds] for side in (gold, run)))
        for group, kinds in GROUPS.items()
    }


def layout(table: Table) -> str:
    """The table as the track's reports print it: a row for each language, three numbers for each group."""
    width = max(len(language) for language in (*table, "LANG"))
    heads = "".join(f"   {group:^17}" for group in GROUPS)
    names = "".join(f"   {'P':>5} {'R':>5} {'F1':>5}" for _ in GROUPS)
    lines = [f"{'':{width}}{heads}".rstrip(), f"{'LANG':{width}}{names}"]
    for language, groups in table.items():
        cells = "".join(
            f"   {counts.precision / 100:5.3f} {counts.recall / 100:5.3f} {counts.f1 / 100:5.3f}"
            for counts in groups.values()
        )
        lines.append(f"{language:{width}}{cells}")
    return "\n".join(lines)
