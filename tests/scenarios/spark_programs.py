"""Programs of this folder that run with a Spark session of their own, a small stream for them, and Spark's scripts."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark

from tests.cluster import KafkaCluster
from tests.readme import ROOT
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import numbered, write

HOME = Path(pyspark.__file__).parent
# What every script of Spark's is run with: not the settings of who runs the tests.
CLEAN = {"SPARK_HOME": str(HOME), "PYTHONPATH": "", "PYSPARK_SUBMIT_ARGS": ""}


@dataclass(frozen=True, slots=True)
class SmallStream:
    """A stream on two clusters: the file that lists it, its id, and its values, sorted."""

    streams: Path
    stream_id: str
    values: list[str]


def small_stream(a: KafkaCluster, b: KafkaCluster, file: FileListing, name: Callable[[str], str]) -> SmallStream:
    """Writes one."""
    topic, stream_id = name("topic"), name("stream")
    a.create_topic(topic, partitions=2)
    b.create_topic(topic)
    values = write(a, topic, *numbered("a", 20)) + write(b, topic, *numbered("b", 10))
    file.publish(stream_id, {"a": on(a, topic), "b": on(b, topic)})
    return SmallStream(file.path, stream_id, sorted(values))


def run_program(program: str, streams: Path, stream_id: str, folder: Path, *more: object) -> Any:
    """What a program of this folder found: the JSON of its last line. ``folder`` is its own. It must end well."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", f"tests.scenarios.{program}", *map(str, (streams, stream_id, folder, *more))],
        cwd=ROOT,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-20_000:]
    return json.loads(done.stdout.splitlines()[-1])
