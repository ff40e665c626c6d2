"""fofe on Apache Spark: tagging and Wikipedia labels as DataFrame jobs, for more than one machine can do.

Rows reach Python as Arrow batches (`mapInArrow`): lists of mentions need not become pandas objects on the
way.
"""

from __future__ import annotations

from fofe.spark.session import make_session
from fofe.spark.tagging import tag

__all__ = ["make_session", "tag"]
