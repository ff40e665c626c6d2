"""Wikitext to plain text: the paragraphs of a page, and their links with offsets into that text.

One pass over the tokens of the markup keeps a stack of open elements. Templates, tables, references, lists
and headings are dropped; links, emphasis and tags leave their text. An element that is never closed is read
as text, as by MediaWiki. This is three times as fast as a general parser that builds a tree.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from fofe.base.report import Report
from fofe.wiki.languages import WikiLanguage

UNBALANCED = {kind: f"{kind}s without an end, read as text" for kind in ("template", "table", "link")}
_DROPPED_TAGS = (
    "ref|math|chem|ce|gallery|timeline|source|syntaxhighlight|pre|code|score|hiero|imagemap|mapframe|graph|"
    "table|references|templatedata|indicator|section"
)
_TOKEN = re.compile(
    rf"""
    <!--.*?(?:-->|\Z)
    | <nowiki>(?P<literal>[^<]*(?:<(?!/?nowiki>)[^<]*)*)</nowiki>
    | <(?P<dropped>{_DROPPED_TAGS})\b[^<>]*?(?<!/)>[^<]*(?:<(?!/?(?P=dropped)\b)[^<]*)*</(?P=dropped)\s*>
    | </?(?P<tag>[a-z]\w*)\b[^<>]*>
    | (?P<open>\{{\{{ | (?<=\n)[ \t:*]*\{{\| | \[\[ | \[(?=(?:https?:|ftp:)?// | mailto:) | -\{{(?!\{{))
    | (?P<close>\}}\}} | (?<=\n)[ \t]*\|\}}(?!\}}) | \]\] | \] | \}}-)
    | (?P<bar>\|)
    | (?P<entity>&\#?\w+;)
    | '{{2,}} | __[A-Z]+__
    """,
    re.X | re.S | re.I,
)
_KINDS = {"{{": "template", "{|": "table", "[[": "link", "[": "external", "-{": "variant"}
_CLOSES = {"}}": "template", "|}": "table", "]]": "link", "]": "external", "}-": "variant"}
_KEPT_ARGUMENT = {"nowrap": 1, "nobr": 1, "nobold": 1, "lang": 2, "transl": 2, "small": 1}
"""Templates that show one of their arguments, by its number."""

_SHOWN = {"ndash": "–", "mdash": "—", "snd": " – ", "spaced ndash": " – ", "'": "'", "'s": "'s", "nbsp": " "}
"""Templates that show a fixed text."""

_SPACE_TAGS = frozenset({"br", "p", "div", "li", "tr", "td", "hr"})
_INTERWIKI = re.compile(r"[a-z]{2,3}(?:-[a-z-]+)?|simple|wikt|commons|wikt?ionary|[dqsvnb]")
_JUNK = re.compile(
    r"^(?:[ \t]*[*\#:;|!=].*|----.*|[^\w]*)(?:\n|\Z)"  # lists, headings, rules, and lines without a word
    r"|(?<=\()[ \t]*(?:[;,:][ \t]*)+|[ \t]*\((?:[ \t]*[;,:]?[ \t]*)\)|[ \t]+(?=[ \t,;.)])|[ \t]+$|^[ \t]+",
    re.M,
)
_VARIANT = re.compile(r"(?:zh|zh-hans|zh-cn|zh-hant|zh-tw|zh-hk)\s*:\s*(?P<text>[^;]*)")


class Link(NamedTuple):
    """The span of a link's text, and the title it leads to."""

    start: int
    end: int
    target: str
    trail: int = 0
    """How many of its last letters follow the brackets in the markup."""


@dataclass
class Markup:
    """The content of a page: its paragraphs, their links, and its templates and categories."""

    text: str
    links: list[Link] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)
    """The names of those that are not inside another."""
    categories: list[str] = field(default_factory=list)


class _Piece(NamedTuple):
    """Some text, which is a link if it has a target."""

    text: str
    target: str = ""
    trail: int = 0


class _Frame(NamedTuple):
    """An open element: its parts, which bars separate, as pieces of text."""

    kind: str
    parts: list[list[_Piece]]


def _text(pieces: list[_Piece]) -> str:
    return "".join(piece.text for piece in pieces)


@dataclass
class _Scanner:
    language: WikiLanguage
    namespaces: frozenset[str]
    report: Report
    place: str
    templates: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    stack: list[_Frame] = field(default_factory=lambda: [_Frame("page", [[]])])

    def run(self, source: str) -> list[_Piece]:
        position = 0
        for token in _TOKEN.finditer(source):
            if token.start() < position:  # a trail that a link has taken
                continue
            self._add(source[position : token.start()])
            position = token.end() + self._take(token, source)
        self._add(source[position:])
        self._give_up(1)
        return self.stack[0].parts[0]

    def _add(self, text: str, target: str = "", trail: int = 0) -> None:
        self.stack[-1].parts[-1].append(_Piece(text, target, trail))

    def _splice(self, pieces: list[_Piece]) -> None:
        self.stack[-1].parts[-1].extend(pieces)

    def _take(self, token: re.Match[str], source: str) -> int:
        """Act on a token; returns how many letters after it were taken too."""
        if token["open"]:
            self.stack.append(_Frame(_KINDS[token["open"].lstrip(" \t:*")], [[]]))
        elif token["close"]:
            return self._close(token, source)
        elif token["bar"]:
            if self.stack[-1].kind in ("template", "link"):
                self.stack[-1].parts.append([])
            else:
                self._add("|")
        elif token["entity"]:
            self._add(html.unescape(token["entity"]).replace("\xa0", " "))
        elif token["literal"]:
            self._add(token["literal"])
        elif token["tag"] and token["tag"].lower() in _SPACE_TAGS:
            self._add(" ")
        return 0

    def _close(self, token: re.Match[str], source: str) -> int:
        kind = _CLOSES[token["close"].lstrip(" \t")]
        level = next((at for at in reversed(range(len(self.stack))) if self.stack[at].kind == kind), None)
        if level is None:
            if kind == "external":
                self._add("]")
            return 0
        self._give_up(level + 1)
        frame = self.stack.pop()
        if kind == "link":
            trail = self.language.trail.match(source, token.end())
            return self._link(frame, trail[0] if trail else "")
        if kind == "template":
            self._template(frame)
        elif kind == "external":
            self._add(_text(frame.parts[-1]).partition(" ")[2])
        elif kind == "variant":
            self._add(_variant(_text(frame.parts[-1])))
        return 0

    def _give_up(self, level: int) -> None:
        """Read the open elements from a level on as text, because they are not closed where they should be.

        The outermost comes first, so that each text is copied once.
        """
        frames = self.stack[level:]
        del self.stack[level:]
        for frame in frames:
            if frame.kind in UNBALANCED:
                self.report.note(UNBALANCED[frame.kind], self.place)
            for number, part in enumerate(frame.parts):
                if number:
                    self._add("|")
                self._splice(part)

    def _template(self, frame: _Frame) -> None:
        name = " ".join(_text(frame.parts[0]).replace("_", " ").split())
        if not any(open.kind == "template" for open in self.stack):
            self.templates.append(name)
        kept = _KEPT_ARGUMENT.get(name.lower(), 0)
        if 0 < kept < len(frame.parts):
            self._splice(frame.parts[kept])
        self._add(_SHOWN.get(name, ""))

    def _link(self, frame: _Frame, trail: str) -> int:
        """Add the text of a link, if it has one; returns how much of the trail it took."""
        target = " ".join(_text(frame.parts[0]).replace("_", " ").split())
        prefix, colon, rest = target.lstrip(":").partition(":")
        prefix = prefix.strip().lower()
        shown = target.startswith(":")
        if colon and not shown and prefix in self.language.categories:
            self.categories.append(rest.strip())
            return 0
        if colon and not shown and prefix in self.language.files:
            return 0
        if any(
            piece.target for part in frame.parts for piece in part
        ):  # links do not nest: only the inner ones are links
            self._splice(frame.parts[-1])
            return 0
        elsewhere = colon and (prefix in self.namespaces or _INTERWIKI.fullmatch(prefix))
        if elsewhere and not shown and len(frame.parts) == 1:
            return 0
        raw = "|".join(map(_text, frame.parts[1:] or frame.parts))
        text = raw.strip()
        trail = "" if raw[-1:].isspace() else trail
        self._add(" " * raw[:1].isspace())
        self._add(text + trail, "" if elsewhere or shown or not text else target, len(trail))
        self._add(" " * raw[-1:].isspace())
        return len(trail)


def _variant(content: str) -> str:
    """The text of Chinese conversion markup: plain, or the first of its variants."""
    flags, bar, rest = content.rpartition("|")
    found = _VARIANT.search(rest)
    if bar and "A" not in flags:
        return ""
    return found["text"].strip() if found else rest


def parse(
    source: str,
    language: WikiLanguage,
    report: Report,
    *,
    namespaces: frozenset[str] = frozenset(),
    place: str = "",
) -> Markup:
    """The paragraphs of a page, a line each, with their links; the report calls it `place`."""
    scanner = _Scanner(language, namespaces, report, place)
    pieces = scanner.run("\n" + source)
    text, links, position = _text(pieces), [], 0
    for shown, target, trail in pieces:
        if target:
            links.append(Link(position, position + len(shown), target, trail))
        position += len(shown)
    text, links = _cut(text, links, [match.span() for match in _JUNK.finditer(text)])
    return Markup(text, links, scanner.templates, scanner.categories)


def _cut(text: str, links: Iterable[Link], spans: list[tuple[int, int]]) -> tuple[str, list[Link]]:
    """Cut sorted, disjoint spans out of a text; links that lose all of their text are dropped."""
    starts = [start for start, _ in spans]
    removed = [0, *accumulate(end - start for start, end in spans)]
    kept_starts = [0, *(end for _, end in spans)]
    kept = "".join(text[start:end] for start, end in zip(kept_starts, [*starts, len(text)], strict=True))

    def moved(offset: int) -> int:
        number = bisect_right(starts, offset)
        if number and offset < spans[number - 1][1]:  # inside a span: to where it was
            return starts[number - 1] - removed[number - 1]
        return offset - removed[number]

    shifted = []
    for link in links:
        start, end = moved(link.start), moved(link.end)
        start = end - len(kept[start:end].lstrip())
        if shown := kept[start:end].rstrip():
            shifted.append(link._replace(start=start, end=start + len(shown)))
    return kept, shifted
