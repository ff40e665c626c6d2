"""Whether the mentions of a `.tab` file stand where it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fofe.base.errors import InputError
from fofe.kbp.source import SourceDocument
from fofe.kbp.tab import TabMention, one_line


def problem_of(mention: TabMention, document: SourceDocument) -> str | None:
    """What is wrong with a mention of a document: outside of it, or its string is not the text there."""
    if mention.end > len(document.text):
        return f"{mention.place} lies outside the document, which has {len(document.text)} characters"
    covered = document.text[mention.start : mention.end]
    if one_line(covered) != one_line(mention.text):
        return f"{mention.place} is {covered!r} in the document, but {mention.text!r} in the mention"
    return None


def check_mention(mention: TabMention, document: SourceDocument) -> None:
    """Raise an error that names the document and both strings if a mention does not stand where it says."""
    problem = problem_of(mention, document)
    if problem is not None:
        raise InputError(
            problem, remedy="offsets count code points of the source, markup and all; see --offsets-from"
        )


def problems(mentions: Iterable[TabMention], documents: Mapping[str, SourceDocument]) -> Iterator[str]:
    """Everything that is wrong with mentions: places, strings, unknown documents, ids that are used twice."""
    ids: set[str] = set()
    for mention in mentions:
        if mention.document not in documents:
            yield f"{mention.place}: there is no document of that id"
        elif problem := problem_of(mention, documents[mention.document]):
            yield problem
        if mention.id in ids:
            yield f"{mention.place}: the mention id {mention.id!r} is used twice"
        ids.add(mention.id)
