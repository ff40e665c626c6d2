"""One small Spark for all tests here; they are skipped, with the reason, where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fofe.base.errors import FofeError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    from fofe.spark import make_session, require_spark

    try:
        require_spark()
    except FofeError as error:
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        # The machine code of the second compiler and a parallel collector do not pay in so short a life.
        patch.setenv("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        session = make_session("local[2]")
    session.conf.set("spark.sql.shuffle.partitions", "2")
    yield session
    session.stop()
