"""From scored candidates to mentions: resolving overlaps, flat or nested."""

from fofe.decode.decoding import Decoding
from fofe.decode.resolve import STRATEGIES, Candidate, outer_spans, outermost, resolve

__all__ = ["STRATEGIES", "Candidate", "Decoding", "outer_spans", "outermost", "resolve"]
