"""What differs between the Wikipedias: names of namespaces and templates, and how links take up letters."""

from __future__ import annotations

import re
from dataclasses import dataclass

NOTHING = re.compile("")


@dataclass(frozen=True)
class WikiLanguage:
    """The local words of a wiki; the English ones are understood everywhere, and stand in all of them."""

    files: frozenset[str]
    categories: frozenset[str]
    infobox: re.Pattern[str]
    """Matches the name of an infobox; what is left of the name is its class."""
    disambiguation: re.Pattern[str]
    """Matches the names of templates that mark a page that leads to several others."""
    trail: re.Pattern[str]
    """The letters right after a link that are shown as a part of it."""


_FILES = frozenset({"file", "image", "media"})
_CATEGORIES = frozenset({"category"})

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
)
SPANISH = WikiLanguage(
    files=_FILES | {"archivo", "imagen", "medio"},
    categories=_CATEGORIES | {"categoría", "categoria"},
    infobox=re.compile(r"(?:infobox\b|ficha\b(?: de(?:l| la)?\b)?)[ _:/-]*|(?=taxobox|ficha de taxón)", re.I),
    disambiguation=re.compile(r"desambiguaci[oó]n|desambig\w*|disambig\w*", re.I),
    trail=re.compile("[a-záéíóúüñ]*"),
)
CHINESE = WikiLanguage(
    files=_FILES | {"文件", "檔案", "档案", "图像", "圖像", "图片", "圖片"},
    categories=_CATEGORIES | {"分类", "分類"},
    infobox=re.compile(r"infobox\b[ _:/-]*|(?=taxobox|生物分[类類]框)", re.I),
    disambiguation=re.compile(r"disambig\w*|消歧[义義](?:页|頁)?|消除歧[义義]|dab\b", re.I),
    trail=NOTHING,
)

_BY_CODE = {"en": ENGLISH, "es": SPANISH, "zh": CHINESE}


def wiki_language(code: str) -> WikiLanguage:
    """The words of a language; those of English where it has none here."""
    return _BY_CODE.get(code.lower().partition("-")[0], ENGLISH)
