"""Entity discovery scored as the track does: precision, recall and F1 by language and kind.

A mention is right if the gold has one with the same document, span and type: the
`strong_typed_mention_match` of neleval. NAME and NOMINAL compare mentions of that kind with one another;
OVERALL leaves the kind out, so a name that is taken for a nominal is right there. What occurs twice counts
once.
"""

from collections.abc import Sequence

from fofe.evaluate.scores import Counts
from fofe.kbp.source import CHINESE, ENGLISH, SPANISH, UNKNOWN, language_of_id
from fofe.kbp.tab import TabMention
from fofe.text.document import NAME, NOMINAL

GROUPS = {"NAME": (NAME,), "NOMINAL": (NOMINAL,), "OVERALL": (NAME, NOMINAL)}
ALL = "ALL"
_RANKS = {ENGLISH: 0, CHINESE: 1, SPANISH: 2}

Table = dict[str, dict[str, Counts]]
"""Counts by language (ENG, CMN, SPA ..., ALL) and by group."""


def score(gold: Sequence[TabMention], run: Sequence[TabMention]) -> Table:
    """The counts of each language that the documents have, and of all together."""
    languages = {mention.document: language_of_id(mention.document) or UNKNOWN for mention in (*gold, *run)}
    table = {}
    for language in sorted(set(languages.values()), key=lambda code: (_RANKS.get(code, len(_RANKS)), code)):
        sides = ([one for one in side if languages[one.document] == language] for side in (gold, run))
        table[language.upper()] = _counts(*sides)
    return {**table, ALL: _counts(gold, run)}


def _counts(gold: Sequence[TabMention], run: Sequence[TabMention]) -> dict[str, Counts]:
    counts = {}
    for group, kinds in GROUPS.items():
        true, guess = (
            {(one.document, one.start, one.end, one.type) for one in side if one.kind in kinds}
            for side in (gold, run)
        )
        counts[group] = Counts(len(true & guess), len(guess - true), len(true - guess))
    return counts


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
