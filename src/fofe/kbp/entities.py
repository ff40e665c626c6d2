"""Ids of entities: links to a table of titles, and NIL ids for everything else.

Within a document, names of one type that are parts of one another (*Obama*, *Barack Obama*) are one entity.
Equal names of one type are one entity in all documents; a short name that stands alone in its document means
what it means most often in the others. A nominal is the nearest name of its type before it in its sentence.
"""

import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from fofe.base.errors import InputError, in_file
from fofe.base.files import read_lines
from fofe.kbp.tab import NIL, TabMention
from fofe.text.document import NAME

NO_SENTENCE = -1
"""The sentence of a mention that is not in the text, such as the author of a post."""

Name = tuple[str, tuple[str, ...]]
"""A type and the words of a name: the identity of an entity is that of its longest name."""

_CJK = "\u2e80-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")


class Titles:
    """A table of titles: id, title, frequency and any number of aliases, separated by tabs.

    A name means the most frequent of the entries that have it for title or alias; of several, the one with
    that title.
    """

    def __init__(self) -> None:
        self._senses: dict[str, tuple[int, bool, str]] = {}

    @classmethod
    def read(cls, path: str | Path) -> "Titles":
        """The table of a file; the frequency may be left out."""
        titles = cls()
        for number, line in read_lines(path):
            if line.strip():
                with in_file(path, number):
                    titles.add(*line.rstrip("\r\n").split("\t"))
        return titles

    def add(self, id: str = "", title: str = "", frequency: str = "", *aliases: str) -> None:
        """Add an entity of the knowledge base: the columns of a line of the table of titles."""
        if not id.strip() or not title.strip() or not re.fullmatch(r"\d{0,18}", frequency):
            remedy = "write id, title, frequency (a whole number, or nothing) and aliases, with tabs between"
            raise InputError("is no entry of a table of titles", remedy=remedy)
        for name in (title, *aliases):
            sense = (int(frequency or 0), name == title, id)
            known = self._senses.setdefault(_one_space(name), sense)
            if sense[:2] > known[:2]:
                self._senses[_one_space(name)] = sense

    def find(self, name: str) -> str | None:
        """The id of what a name means."""
        sense = self._senses.get(_one_space(name))
        return sense and sense[2]


def numbered(
    mentions: Iterable[TabMention],
    run: str,
    titles: Titles | None = None,
    sentences: Sequence[int] | None = None,
) -> Iterator[TabMention]:
    """The mentions with the id of a run, with ids of their own, and with ids of entities.

    KB ids stay. `sentences` has the number of the sentence of each mention in its document; without it a
    nominal is an entity of its own.
    """
    rows = list(mentions)
    entities = _entities(rows)
    links: dict[Name, str] = {}
    for number in sorted(entities, key=lambda number: -len(rows[number].text)):  # the longest name counts
        if titles is not None and (id := titles.find(rows[number].text)) is not None:
            links.setdefault(entities[number], id)
    nils: dict[object, str] = {}
    names: defaultdict[tuple[str, int, str], list[tuple[int, str]]] = defaultdict(list)
    for number, row in enumerate(rows):
        sentence = names[row.document, NO_SENTENCE if sentences is None else sentences[number], row.type]
        kb = row.kb
        if not kb or kb.startswith(NIL):
            entity = entities.get(number)
            kb = links.get(entity, "") if entity else ""
            if row.kind != NAME and sentences is not None:
                before = [name for name in sentence if name[0] <= row.start]
                kb = max(before)[1] if before else ""
            kb = kb or nils.setdefault(entity or number, f"{NIL}{len(nils) + 1:06}")
        if row.kind == NAME:
            sentence.append((row.end, kb))
        yield replace(row, run=run, id=f"{run}_{number + 1:06}", kb=kb)


def _entities(rows: Sequence[TabMention]) -> dict[int, Name]:
    """The entity of each name, by the name's number."""
    names = {number: (row.type, _words(row.text)) for number, row in enumerate(rows) if row.kind == NAME}
    in_document: defaultdict[str, list[Name]] = defaultdict(list)
    for number, name in names.items():
        in_document[rows[number].document].append(name)
    full_names = {document: _full_names(found) for document, found in in_document.items()}
    elsewhere: defaultdict[Name, Counter[Name]] = defaultdict(Counter)
    for forms in full_names.values():
        for name, full in forms.items():
            if name != full:
                elsewhere[name][full] += 1
    entities = {}
    for number, name in names.items():
        entity = full_names[rows[number].document][name]
        while entity in elsewhere:  # ends: each is longer than the one before
            entity = elsewhere[entity].most_common(1)[0][0]
        entities[number] = entity
    return entities


def _full_names(names: Iterable[Name]) -> dict[Name, Name]:
    """The longest name of which each name of a document is a part: the first of several."""
    longest: dict[Name, Name] = {}
    distinct = dict.fromkeys(names)
    for type, words in sorted(distinct, key=lambda name: -len(name[1])):
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                longest.setdefault((type, words[start:end]), (type, words))
    return {name: longest[name] for name in distinct}


def _words(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case, of Chinese its characters; a name without any is one word."""
    text = _one_space(name).casefold()
    return tuple(_WORD.findall(text)) or (text,)


def _one_space(name: str) -> str:
    """A name with entities resolved and single spaces."""
    return " ".join(html.unescape(name).replace("_", " ").split())
