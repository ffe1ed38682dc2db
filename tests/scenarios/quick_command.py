"""What has the Java that a command of `dynamic-kafka` asks start in about half the time and work."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from dynamic_kafka import _java, jar_path

from tests.cluster.class_archive import with_archive

_PROGRAM = "command"
# Where nobody answers: most of what a command loads is loaded by then.
_STREAMS = """
- streamId: orders
  clusterMetadataList: [{clusterId: eu-1, bootstrapServers: "127.0.0.1:1", topics: [orders]}]
"""


def environment() -> dict[str, str]:
    """That of this process, with the archive of the command's classes."""
    jar = jar_path()
    # Java takes an archive of these very files alone.
    classes = f"{_java._class_path(whole_spark=False)} {jar.stat().st_mtime}"
    return _with(*with_archive(_PROGRAM, classes, _run))


def _run(option: str) -> None:
    # Those of jars that were built before.
    for old in Path(option.partition("=")[2]).parent.glob(f"{_PROGRAM}-*.jsa"):
        old.unlink()
    with TemporaryDirectory() as folder:
        streams = Path(folder) / "streams.yaml"
        streams.write_text(_STREAMS)
        command = [sys.executable, "-m", "dynamic_kafka.cli", "validate", str(streams), "--connect", "--timeout", "1s"]
        subprocess.run(command, env=_with(option), capture_output=True, check=False)


def _with(*options: str) -> dict[str, str]:
    return {**os.environ, "JDK_JAVA_OPTIONS": " ".join([os.environ.get("JDK_JAVA_OPTIONS", ""), *options])}
