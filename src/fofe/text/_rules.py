"""What a language has to say to be tokenised."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple


class Rules(NamedTuple):
    """How one language is cut into sentences and tokens."""

    token: re.Pattern[str]
    """Finds tokens within a sentence; what it leaves out is whitespace."""
    sentence_ends: Callable[[str], Iterable[int]]
    """Increasing offsets at which sentences end; the end of the text need not be among them."""
