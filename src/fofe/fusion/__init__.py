"""Joining what several systems found: `fuse` for the mentions of one document, `fofe fuse` for files."""

from fofe.fusion.vote import METHODS, Rule, fuse

__all__ = ["METHODS", "Rule", "fuse"]
