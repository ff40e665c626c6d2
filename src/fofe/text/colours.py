"""A colour for every type of mention, the same wherever it is drawn."""

from __future__ import annotations

from zlib import crc32

_KNOWN = {
    "PER": "#0b62a8",
    "ORG": "#a83b00",
    "GPE": "#00704f",
    "LOC": "#6b5b00",
    "FAC": "#8a2a82",
    "MISC": "#4b5563",
}
_OTHERS = ("#9d174d", "#3730a3", "#0e7490", "#854d0e", "#7f1d1d", "#3f6212", "#5b21b6", "#115e59")


def colour_of(type: str) -> str:
    """A colour on which white text can be read; a type has the same one in every text and process."""
    return _KNOWN.get(type) or _OTHERS[crc32(type.encode(errors="replace")) % len(_OTHERS)]
