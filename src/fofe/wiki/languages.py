"""What differs between Wikipedias: names of namespaces and templates, link trails, capitals."""

from __future__ import annotations

import re
from dataclasses import dataclass

NOTHING = re.compile("")


@dataclass(frozen=True)
class WikiLanguage:
    """The local words of a wiki. English namespaces work in every wiki and are included."""

    files: frozenset[str]
    categories: frozenset[str]
    infobox: re.Pattern[str]
    """Matches the beginning of an infobox's name; the rest of the name is its class."""
    disambiguation: re.Pattern[str]
    """Matches the names of templates that mark a disambiguation page."""
    trail: re.Pattern[str]
    """Matches the letters right after a link that are shown as a part of it."""
    capitals: bool = True
    """True if names begin with capitals."""
    capital_names: bool = False
    """True if every word of a name is capitalised, function words aside."""
    function_words: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    """After one of these, the last word of a title is not its head: `Miracle on the Han River`."""
    openers: frozenset[str] = frozenset()
    """Words that are no names even as the capitalised first word of a sentence."""
    generic_words: frozenset[str] = frozenset()
    """Last words of titles that say what something is; its name may go without."""


_FILES = frozenset({"file", "image", "media"})
_CATEGORIES = frozenset({"category"})
_FUNCTION_WORDS = """
    a an and as at by for from in into of on or over the to upon vs with
    al bin da de del der des di dos du el ibn la le und van von y zu
"""
_OPENERS = """
    a although an and as at both but by during each for from he her his however if in it its many most of
    on one other she since so some such that the their there these they this those to two under until we
    when where which while with
"""
_SPANISH_OPENERS = """
    a al algunos aunque con cuando de del desde durante el ella ellos en entre es esta este esto la las lo los
    mientras no para pero por se según si sin sobre su sus también tras un una y
"""
_GENERIC = """
    River Ocean Sea Mountains Island Islands Desert City County Peninsula language languages people
"""

ENGLISH = WikiLanguage(
    files=_FILES,
    categories=_CATEGORIES,
    infobox=re.compile(r"infobox\b[ _:/-]*|(?=(?:automatic )?taxobox|geobox|chembox|drugbox)", re.I),
    disambiguation=re.compile(
        r"(?:.*\b)?(?:disambig\w*|dab|hndis|geodis|surname|given name|set index\w*|siaii?|numberdis|"
        r"letter-?numbercombdisambig|(?:mountain|ship|road|lake|river|sport)s?index)\b",
        re.I,
    ),
    trail=re.compile("[a-z]*"),
    capital_names=True,
    function_words=frozenset(_FUNCTION_WORDS.split()),
    articles=frozenset({"the", "a", "an"}),
    prepositions=frozenset(["of", "on", "to", "in", "at", "for", "by", "from", "with", "against"]),
    openers=frozenset(_OPENERS.split()),
    generic_words=frozenset(_GENERIC.split()),
)
SPANISH = WikiLanguage(
    files=_FILES | {"archivo", "imagen", "medio"},
    categories=_CATEGORIES | {"categoría", "categoria"},
    infobox=re.compile(r"(?:infobox\b|ficha\b(?: de(?:l| la)?\b)?)[ _:/-]*|(?=taxobox|ficha de taxón)", re.I),
    disambiguation=re.compile(r"desambiguaci[oó]n|desambig\w*|disambig\w*", re.I),
    trail=re.compile("[a-záéíóúüñ]*"),
    articles=frozenset({"el", "la", "los", "las", "un", "una"}),
    openers=frozenset(_SPANISH_OPENERS.split()),
)
CHINESE = WikiLanguage(
    files=_FILES | {"文件", "檔案", "档案", "图像", "圖像", "图片", "圖片"},
    categories=_CATEGORIES | {"分类", "分類"},
    infobox=re.compile(r"infobox\b[ _:/-]*|(?=taxobox|生物分[类類]框)", re.I),
    disambiguation=re.compile(r"disambig\w*|消歧[义義](?:页|頁)?|消除歧[义義]|dab\b", re.I),
    trail=NOTHING,
    capitals=False,
)

_BY_CODE = {"en": ENGLISH, "es": SPANISH, "zh": CHINESE}


def wiki_language(code: str) -> WikiLanguage:
    """The words of a language; for languages that are not here, those of English."""
    return _BY_CODE.get(code.lower().partition("-")[0], ENGLISH)
