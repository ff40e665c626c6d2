"""fofe on Apache Spark: tagging and Wikipedia labels as DataFrame jobs, for more than one machine can do.

Rows reach Python as Arrow batches (`mapInArrow`): lists of mentions need not become pandas objects on the
way.
"""

from __future__ import annotations

import shutil
import sys
from os import environ
from typing import TYPE_CHECKING

from fofe.base.errors import FofeError
from fofe.spark.tagging import tag as tag

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULT_MASTER = "local[*]"

_SETTINGS = {
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # BLAS threads of several workers would fight for cores.
    "spark.executorEnv.OMP_NUM_THREADS": "1",
    "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
    # Pages are long: small batches keep the memory of a worker small.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200",
}
_ON_ONE_MACHINE = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def require_spark() -> None:
    """Say what to install where Spark cannot run."""
    try:
        import pyarrow  # noqa: F401
        import pyspark  # noqa: F401
    except ModuleNotFoundError as error:
        raise FofeError(f"Spark needs {error.name} (pip install 'fofe[spark]')") from None
    if "JAVA_HOME" not in environ and shutil.which("java") is None:
        raise FofeError("Spark needs Java 17 or newer (install it, or set JAVA_HOME)")


def make_session(master: str | None = None) -> SparkSession:
    """A session on a master: `local[4]`, `spark://host:7077`, `yarn`, ...

    Without one, that of the configuration (`spark-submit`, SPARK_HOME/conf), or else all cores of this
    machine. A session that runs already is used as it is.
    """
    require_spark()
    from pyspark.conf import SparkConf
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    conf = SparkConf()
    chosen = master or conf.get("spark.master") or DEFAULT_MASTER
    settings = {**_SETTINGS, "spark.app.name": "fofe"}
    if chosen.startswith("local"):
        settings |= _ON_ONE_MACHINE
        environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers need the packages that are here
    for key, value in settings.items():
        conf.setIfMissing(key, value)
    conf.setMaster(chosen)  # a configuration remembers the master of an earlier session of this process
    return SparkSession.builder.config(conf=conf).getOrCreate()
