"""Entity discovery scored as the track does: precision, recall and F1 by language and kind.

A mention is right if the gold has one with the same document, span and type: the
`strong_typed_mention_match` of neleval. NAME and NOMINAL compare mentions of that kind with one another;
OVERALL leaves the kind out, so a name that is taken for a nominal is right there. What occurs twice counts
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fofe.evaluate.bootstrap import Numbers
from fofe.evaluate.scores import Counts
from fofe.kbp.source import CHINESE, ENGLISH, SPANISH, UNKNOWN, language_of_id
from fofe.kbp.tab import TabMention
from fofe.text.document import NAME, NOMINAL

GROUPS: Mapping[str, tuple[str, ...]] = {
    "NAME": (NAME,),
    "NOMINAL": (NOMINAL,),
    "OVERALL": (NAME, NOMINAL),
}
ALL = "ALL"
_ORDER = (ENGLISH, CHINESE, SPANISH)

Key = tuple[str, int, int, str]
Table = dict[str, dict[str, Counts]]
"""Counts by language (ENG, CMN, SPA ..., ALL) and by group."""


def score(gold: Sequence[TabMention], run: Sequence[TabMention]) -> Table:
    """The counts of each language that the documents have, and of all together."""
    languages = {mention.document: language_of_id(mention.document) or UNKNOWN for mention in (*gold, *run)}
    found = sorted(set(languages.values()), key=lambda code: (code not in _ORDER, _rank(code), code))
    table = {
        language.upper(): _counts(_only(gold, languages, language), _only(run, languages, language))
        for language in found
    }
    return {**table, ALL: _counts(gold, run)}


def _rank(code: str) -> int:
    return _ORDER.index(code) if code in _ORDER else len(_ORDER)


def _only(mentions: Iterable[TabMention], languages: Mapping[str, str], language: str) -> list[TabMention]:
    return [mention for mention in mentions if languages[mention.document] == language]


def _counts(gold: Iterable[TabMention], run: Iterable[TabMention]) -> dict[str, Counts]:
    gold, run = list(gold), list(run)
    return {group: _matches(_keys(gold, kinds), _keys(run, kinds)) for group, kinds in GROUPS.items()}


def _keys(mentions: Iterable[TabMention], kinds: Sequence[str]) -> set[Key]:
    return {
        (mention.document, mention.start, mention.end, mention.type)
        for mention in mentions
        if mention.kind in kinds
    }


def _matches(gold: set[Key], run: set[Key]) -> Counts:
    right = len(gold & run)
    return Counts(right, len(run) - right, len(gold) - right)


def counts_by_document(
    gold: Iterable[TabMention], run: Iterable[TabMention], documents: Sequence[str]
) -> Numbers:
    """Right, wrong and missed mentions of each document, kinds left out: shape (documents, 3)."""
    numbers = {document: number for number, document in enumerate(documents)}
    kinds = GROUPS["OVERALL"]
    true, guess = _keys(gold, kinds), _keys(run, kinds)
    counts = np.zeros((len(documents), 3), np.int64)
    for column, keys in enumerate((true & guess, guess - true, true - guess)):
        for document, _, _, _ in keys:
            counts[numbers[document], column] += 1
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
