"""What tests of the ways into Spark share: a small stream, and where Spark's scripts are."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyspark

from tests.cluster import KafkaCluster
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
