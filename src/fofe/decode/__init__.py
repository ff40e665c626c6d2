"""From scored candidates to mentions: resolving overlaps, flat or nested."""

from fofe.decode.candidate import Candidate
from fofe.decode.decoding import Decoding
from fofe.decode.resolve import STRATEGIES, resolve

__all__ = ["STRATEGIES", "Candidate", "Decoding", "resolve"]
