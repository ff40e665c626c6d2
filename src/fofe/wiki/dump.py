"""Reading MediaWiki XML dumps, plain or compressed, a page at a time; truncated ones as far as they go."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from fofe.base.errors import InputError
from fofe.base.files import DECOMPRESSION_ERRORS, open_compressed
from fofe.base.report import Report

CHUNK_BYTES = 1 << 20
TRUNCATED = "truncated or damaged dumps, read up to the damage"

_REDIRECT = re.compile(
    r"\s*#\s*(?:redirect|redirecci[oó]n|重定向)\s*:?\s*\[\[:?([^\[\]|]+?)(?:\|[^\[\]]*)?\]\]", re.I
)


def is_dump(path: str | Path) -> bool:
    """True if a file begins like a MediaWiki dump."""
    with open_compressed(path) as stream:
        try:
            return b"<mediawiki" in stream.read(512)
        except DECOMPRESSION_ERRORS:
            return False


@dataclass(frozen=True)
class RawPage:
    """A page of a dump, with its wikitext."""

    title: str
    namespace: int
    """0 for articles."""
    markup: str
    redirect: str | None = None
    """The title that it redirects to, with the section if there is one."""


@dataclass(frozen=True)
class Site:
    """What the head of a dump states about its wiki."""

    language: str = ""
    namespaces: frozenset[str] = frozenset()
    """The local names of all namespaces except that of articles, in lower case."""


def read_site(path: str | Path) -> Site:
    """The language and the namespaces of a dump; empty if it does not state them."""
    language, names = "", set()
    for event, element in _events(path, Report()):
        tag = _tag(element)
        if event == "start" and tag == "mediawiki":
            language = element.get("{http://www.w3.org/XML/1998/namespace}lang", "")
        elif event == "end" and tag == "namespace" and element.text:
            names.add(element.text.lower())
        elif tag in ("siteinfo", "page") and (event, tag) != ("start", "siteinfo"):
            break
    return Site(language, frozenset(names))


def read_pages(path: str | Path, report: Report) -> Iterator[RawPage]:
    """The pages of a dump in order, each with its last revision.

    A truncated or damaged file gives the pages before the damage, and the report says so.
    """
    for event, element in _events(path, report):
        if event != "end" or _tag(element) != "page":
            continue
        parts = {_tag(part): part for part in element.iter()}  # of several revisions the last
        text = {tag: part.text or "" for tag, part in parts.items()}
        title, number, markup = text.get("title", "").strip(), text.get("ns", ""), text.get("text", "")
        if not title:
            report.note("pages without a title left out", str(path))
            continue
        namespace = int(number) if re.fullmatch(r"-?\d{1,9}", number.strip()) else 0
        redirect = parts["redirect"].get("title") if "redirect" in parts else None
        found = None if redirect else _REDIRECT.match(markup)
        yield RawPage(title, namespace, markup, found[1] if found else redirect)


def _events(path: str | Path, report: Report) -> Iterator[tuple[str, Element]]:
    """The start and the end of every element; at its end its content is known."""
    parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
    root: Element | None = None
    with open_compressed(path) as stream:
        try:
            while data := stream.read1(CHUNK_BYTES):  # `read` would lose what precedes the damage
                parser.feed(data)
                for event, element in cast(Iterator[tuple[str, Element]], parser.read_events()):
                    if root is None:
                        root = element
                        if _tag(root) != "mediawiki":
                            message = f"begins with <{_tag(root)}>, not <mediawiki>"
                            raise InputError(message, path=path, remedy="give a MediaWiki XML dump")
                    yield event, element
                    if event == "end" and _tag(element) == "page":
                        root.clear()  # the pages before are no longer needed
            parser.close()
        except (*DECOMPRESSION_ERRORS, ParseError) as error:
            report.note(TRUNCATED, f"{path}: {error}")
    if root is None:
        raise InputError("is not XML", path=path, remedy="give a MediaWiki dump: ...-pages-articles.xml.bz2")


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]
