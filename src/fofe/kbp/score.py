"""Entity discovery scored as the track does: precision, recall and F1 by language and kind.

The measures are those of neleval. `strong_typed_mention_match`: a mention is right if the gold has one with
the same document, span and type. `strong_nil_match`: the same span, and both have no KB id. `mention_ceaf`:
the mentions that the entities of both sides share, if entities are paired one to one as well as possible.
NAME and NOMINAL compare mentions of that kind with one another; OVERALL leaves the kind out, so a name that
is taken for a nominal is right there. What occurs twice counts once.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from fofe.evaluate.scores import Counts
from fofe.kbp.ceaf import shared_mentions
from fofe.kbp.source import CHINESE, ENGLISH, SPANISH, UNKNOWN, language_of_id
from fofe.kbp.tab import NIL, TabMention
from fofe.text.document import NAME, NOMINAL

GROUPS = {"NAME": (NAME,), "NOMINAL": (NOMINAL,), "OVERALL": (NAME, NOMINAL)}
ALL = "ALL"
_RANKS = {ENGLISH: 0, CHINESE: 1, SPANISH: 2}

Table = dict[str, dict[str, Counts]]
"""Counts by language (ENG, CMN, SPA ..., ALL) and by group."""


def _typed_mentions(gold: Iterable[TabMention], run: Iterable[TabMention]) -> Counts:
    return _compared(*({(*_span(one), one.type) for one in side} for side in (gold, run)))


def _nils(gold: Iterable[TabMention], run: Iterable[TabMention]) -> Counts:
    return _compared(*({_span(one) for one in side if one.kb.startswith(NIL)} for side in (gold, run)))


def _ceaf(gold: Iterable[TabMention], run: Iterable[TabMention]) -> Counts:
    true, guess = (_clusters(side) for side in (gold, run))
    shared = shared_mentions(true, guess)
    sizes = [sum(map(len, clusters.values())) for clusters in (true, guess)]
    return Counts(shared, sizes[1] - shared, sizes[0] - shared)


def _compared(true: set[tuple[object, ...]], guess: set[tuple[object, ...]]) -> Counts:
    return Counts(len(true & guess), len(guess - true), len(true - guess))


def _span(mention: TabMention) -> tuple[object, ...]:
    return mention.document, mention.start, mention.end


def _clusters(mentions: Iterable[TabMention]) -> dict[str, set[tuple[object, ...]]]:
    clusters = defaultdict(set)
    for mention in mentions:
        clusters[mention.kb].add(_span(mention))
    return clusters


Measure = Callable[[Iterable[TabMention], Iterable[TabMention]], Counts]
MEASURES: dict[str, Measure] = {
    "strong_typed_mention_match": _typed_mentions,
    "strong_nil_match": _nils,
    "mention_ceaf": _ceaf,
}


def score(
    gold: Sequence[TabMention], run: Sequence[TabMention], *, measure: Measure = _typed_mentions
) -> Table:
    """The counts of each language that the documents have, and of all together."""
    languages = {mention.document: language_of_id(mention.document) or UNKNOWN for mention in (*gold, *run)}
    table = {}
    for language in sorted(set(languages.values()), key=lambda code: (_RANKS.get(code, len(_RANKS)), code)):
        sides = ([one for one in side if languages[one.document] == language] for side in (gold, run))
        table[language.upper()] = _by_group(measure, *sides)
    return {**table, ALL: _by_group(measure, gold, run)}


def _by_group(measure: Measure, gold: Sequence[TabMention], run: Sequence[TabMention]) -> dict[str, Counts]:
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
