"""The version of fofe. It stands here so that no package needs to import the public names of `fofe`."""

from __future__ import annotations

__version__ = "0.1.0"
