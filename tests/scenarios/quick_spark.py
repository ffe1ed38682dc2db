"""What has Spark's JVMs start sooner and work less, and changes nothing that a test looks at."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyspark

from tests.cluster.class_archive import with_archive
from tests.cluster.java_helpers import helpers_jar

_ROOT = Path(__file__).resolve().parents[2]
# The session of a whole run fills the small code cache of the one compiler, and would throw out and compile again.
_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=200m", "-XX:+UseSerialGC")


def java_options(archive: Sequence[str] | None = None) -> str:
    """For a driver. ``archive`` are those about an archive of classes, if not those of every driver."""
    return " ".join([*_OPTIONS, *(_archive() if archive is None else archive)])


def settings() -> dict[str, str]:
    """For a session: checkpoints without Hadoop's processes, see `LocalFiles.java`."""
    return {"spark.jars": str(helpers_jar()), "spark.hadoop.fs.AbstractFileSystem.file.impl": "LocalFiles"}


def _archive() -> tuple[str, ...]:
    return with_archive("spark", f"{pyspark.__file__} {pyspark.__version__}", _run)


def _run(option: str) -> None:
    command = [sys.executable, "-m", "tests.scenarios.archive_program", option]
    # Java prints what it leaves out of the archive.
    subprocess.run(command, cwd=_ROOT, stdout=subprocess.DEVNULL, check=True)
