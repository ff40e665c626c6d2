"""Titles of pages, as links spell them and as they are, and whether they are names."""

from __future__ import annotations

import re

from fofe.wiki.languages import WikiLanguage

_SUFFIX = re.compile(r"\s*[(（][^()（）]*[)）]$")


def normalise(title: str) -> str:
    """A title as MediaWiki keeps it: single spaces, the first letter a capital, no section."""
    title = " ".join(title.partition("#")[0].replace("_", " ").lstrip(":").split())
    return title[:1].upper() + title[1:]


def base(title: str) -> str:
    """A title without what tells it from others of that name: `Paris (film)` is `Paris`."""
    return _SUFFIX.sub("", title) or title


def without_generic(name: str, language: WikiLanguage) -> str:
    """A name without the word that says what it is the name of: `Atlantic Ocean` is `Atlantic`."""
    words = name.rpartition(" ")
    return words[0] if words[2] in language.generic_words else name


def looks_like_name(title: str, language: WikiLanguage) -> bool:
    """Whether a title can be a name.

    Where names are written with capitals, a title with a small word in it (`Animated cartoon`) is none.
    """
    if not language.capital_names:
        return True
    words = without_generic(base(title), language).split()[1:]
    return not any(word.isalpha() and word.islower() and word not in language.small_words for word in words)


def lower_form(title: str) -> str | None:
    """What a title would look like as a common noun, or None where a capital remains."""
    name = base(title)
    name = name[:1].lower() + name[1:]
    return name if name == name.lower() else None


def is_common_use(text: str, title: str) -> bool:
    """Whether a link writes a title as a common noun: `an [[astronomer]]`."""
    return text[:1].islower() and text == lower_form(title)
