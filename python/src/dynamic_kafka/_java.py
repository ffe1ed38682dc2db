"""Asks the bundled jar, in a Java of its own. It needs some libraries that Spark brings, and no Spark."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import util
from pathlib import Path
from typing import IO, Any, TypeAlias

from dynamic_kafka._jar import jar_path
from dynamic_kafka._java_program import java_program
from dynamic_kafka.errors import DynamicKafkaError, NoJavaError, error_of

_MAIN = "io.github.dynamickafka.spark.cli.Main"
# What the jar uses of Spark's libraries. The codecs are for the records that `lag` looks at.
_LIBRARIES = (
    "scala-library-",
    "jackson-annotations-",
    "jackson-core-",
    "jackson-databind-",
    "slf4j-api-",
    "log4j-api-",
    "log4j-core-",
    "lz4-java-",
    "snappy-java-",
    "zstd-jni-",
)
# Short runs: the quickest compiler and collector, and no log of the libraries.
_OPTIONS = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-Dslf4j.internal.verbosity=ERROR",
    "-Dlog4j2.disableJmx=true",
)
_OLD_JAVA = "UnsupportedClassVersionError"

Progress: TypeAlias = "Callable[[Mapping[str, Any]], None]"


def ask(
    command: str, request: dict[str, Any], *, whole_spark: bool = False, progress: Progress | None = None
) -> dict[str, Any]:
    """The result of a command of the jar. Raises the error that the jar reports.

    `whole_spark` is for files in file systems of Hadoop's, which need all of Spark's libraries.
    """
    run = [java_program(), *_OPTIONS, "-cp", _class_path(whole_spark=whole_spark), _MAIN]
    with tempfile.TemporaryFile() as printed:
        with _java_process(run, printed) as (questions, replies):
            # A Java that ends at once reads nothing, and says why.
            with suppress(BrokenPipeError):
                questions.write(json.dumps({"command": command, **request}).encode() + b"\n")
                questions.flush()
            reply = _last_reply(replies, progress)
        if reply is None:
            printed.seek(0)
            raise _java_failed(printed.read().decode(errors="replace"))
    if "error" in reply:
        raise error_of(reply["error"]["condition"], f"[{reply['error']['condition']}] {reply['error']['message']}")
    result: dict[str, Any] = reply["result"]
    return result


@contextmanager
def _java_process(run: list[str], printed: IO[bytes]) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Where to write questions and where to read replies, one a line. All other output goes to `printed`."""
    with subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=printed) as process:  # noqa: S603 - Java
        assert process.stdin is not None  # noqa: S101 - as asked for
        assert process.stdout is not None  # noqa: S101 - as asked for
        try:
            yield process.stdin, process.stdout
        except BaseException:
            process.kill()
            raise
        finally:
            # Java ends when its questions end. One that has ended already refuses more.
            with suppress(BrokenPipeError):
                process.stdin.close()


def _last_reply(lines: IO[bytes], progress: Progress | None) -> dict[str, Any] | None:
    """The last reply. Those before it are progress."""
    for line in lines:
        reply: dict[str, Any] = json.loads(line)
        if "progress" not in reply:
            return reply
        if progress is not None:
            progress(reply["progress"])
    return None


def _java_failed(printed: str) -> DynamicKafkaError:
    if _OLD_JAVA in printed:
        return NoJavaError(f"{java_program()} is too old: Java 17 or newer is needed. Set JAVA_HOME to one.")
    missing = re.search(r"(?:NoClassDefFoundError|ClassNotFoundException): ([\w./$]+)", printed)
    why = (
        f"a class is missing: {missing[1]}" if missing else (printed.strip().splitlines() or ["it printed nothing"])[0]
    )
    return DynamicKafkaError(f"Java ended without an answer ({why}).")


def _class_path(*, whole_spark: bool) -> str:
    folder = _spark_jars()
    if whole_spark:
        return os.pathsep.join([str(jar_path()), str(folder / "*")])
    found = [jar for jar in sorted(folder.glob("*.jar")) if jar.name.startswith(_LIBRARIES)]
    return os.pathsep.join(map(str, [jar_path(), *found]))


def _spark_jars() -> Path:
    """The folder of Spark's libraries: of SPARK_HOME, else of the package pyspark, which is not imported."""
    package = util.find_spec("pyspark")
    homes = [os.environ.get("SPARK_HOME"), *((package and package.submodule_search_locations) or ())]
    for home in filter(None, homes):
        folder = Path(home, "jars")
        if any(folder.glob("scala-library-2.13*.jar")):
            return folder
    raise NoJavaError(
        "This needs a few libraries that Spark 4 brings, such as Scala's: install Spark beside this package with "
        "`pip install 'dynamic-kafka-spark[cli,pyspark]'`, or set SPARK_HOME. No Spark is started."
    )
