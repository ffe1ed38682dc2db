"""Two Kafka clusters, a query, and a stream that moves: ``python -m dynamic_kafka.demo``.

Ends with 0 if each order arrived exactly once, with 1 if not, with 2 if it could not be tried.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from importlib import metadata, util
from pathlib import Path

from dynamic_kafka._brokers import KAFKA_VERSION, SetupError, jars
from dynamic_kafka._java_program import require_java
from dynamic_kafka.errors import NoJavaError

# Of brokers and query together, with room to spare.
_NEEDED_BYTES = 200_000_000
_OLDEST_SPARK = (4, 0)
_INSTALL = "Install it: pip install 'dynamic-kafka-spark[pyspark]'"
_BAR = 30
_STOPPED = 130


def main() -> int:
    """Runs the demo, and returns the exit code."""
    options = _parser().parse_args()
    try:
        with ExitStack() as opened:
            return _run(options, opened)
    except (SetupError, NoJavaError) as problem:
        print(f"\nThe demo can't run. {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return _STOPPED


def _run(options: argparse.Namespace, opened: ExitStack) -> int:
    if os.name != "posix":
        raise SetupError("It runs on Linux and macOS; on Windows, in WSL.")
    require_spark()
    java = require_java()
    folder = options.folder
    if folder is None:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="dynamic-kafka-demo-")))
    elif folder.exists() and any(folder.iterdir()):
        raise SetupError(f"{folder} is not empty. Name another folder by --folder.")
    folder.mkdir(parents=True, exist_ok=True)
    jars.require_space(folder, _NEEDED_BYTES)
    class_path = fetched_class_path(options.repository)
    # Only now: it imports Spark.
    from dynamic_kafka.demo import _play

    return _play.play(folder.resolve(), java, class_path, opened, picture=options.picture)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dynamic_kafka.demo",
        description="Starts two Kafka clusters and a query, moves a stream from one to the other, and checks that each "
        "order arrived exactly once. Java alone, no containers.",
    )
    parser.add_argument("--folder", type=Path, help="keep all files here, logs too, in place of a temporary folder")
    parser.add_argument("--repository", help="the Maven repository that has Kafka's jars; Spark's own by default")
    parser.add_argument("--picture", type=Path, help="save a plot of the query's progress here; needs matplotlib")
    return parser


def require_spark() -> None:
    """Raises `SetupError` if there is no PySpark, or one that is too old."""
    if util.find_spec("pyspark") is None:
        raise SetupError(f"There is no PySpark. {_INSTALL}")
    version = metadata.version("pyspark")
    if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST_SPARK:
        raise SetupError(f"PySpark is {version}, and 4.0 or newer is needed. {_INSTALL}")


def fetched_class_path(repository: str | None) -> str:
    """Kafka's jars, after it has said what it fetches."""
    wanted, folder = jars.pinned(), jars.cache_folder()
    lacking = jars.missing(wanted, folder)
    if lacking:
        repository = repository or jars.default_repository()
        size = sum(jar.size for jar in lacking)
        print(f"Fetching Kafka {KAFKA_VERSION}, once: {len(lacking)} jars, {jars.megabytes(size)}")
        print(f"  from {repository}\n  into {folder}", flush=True)
        jars.fetch(lacking, folder, _Bar(size).add, repository)
    return jars.class_path()


class _Bar:
    """A progress bar, on a terminal alone."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._done = 0

    def add(self, count: int) -> None:
        self._done += count
        if sys.stdout.isatty():
            full = _BAR * self._done // self._size
            end = "\n" if self._done == self._size else ""
            said = f"\r  [{'#' * full}{' ' * (_BAR - full)}] {self._done / 1e6:.0f} of {jars.megabytes(self._size)}"
            print(said, end=end, flush=True)


if __name__ == "__main__":
    sys.exit(main())
