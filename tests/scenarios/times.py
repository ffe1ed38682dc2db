"""Topics with records at three times, and the offsets of Spark's own Kafka source by partition."""

import json
from collections.abc import Mapping

from tests.cluster import KafkaCluster, Record

# Milliseconds since 1970.
FIRST, SECOND, THIRD = TIMES = (1_000_000, 2_000_000, 3_000_000)
PARTITIONS = range(5)
EARLIEST, LATEST = -2, -1


def write(cluster: KafkaCluster, topic: str, *values: object, partition: int = 0, time: int | None = None) -> list[str]:
    """Writes these values, and returns them as text."""
    texts = list(map(str, values))
    cluster.produce(topic, [Record(None, text, timestamp_ms=time, partition=partition) for text in texts])
    return texts


def timed(cluster: KafkaCluster, topic: str, short: int | None = None) -> None:
    """Two records at each time in each partition, such as `3-2000000-0`; in the ``short`` one at the first alone."""
    cluster.create_topic(topic, partitions=len(PARTITIONS))
    for time in TIMES:
        for partition in PARTITIONS:
            if time == FIRST or partition != short:
                write(cluster, topic, *at(partition, time), partition=partition, time=time)


def at(partition: int, time: int) -> list[str]:
    """The values of a partition at a time."""
    return [f"{partition}-{time}-{number}" for number in (0, 1)]


def since(first: int, until: int = THIRD + 1) -> list[str]:
    """The values of all partitions from a time on, before another one, sorted."""
    return sorted(value for time in TIMES if first <= time < until for p in PARTITIONS for value in at(p, time))


def by_partition(topic: str, points: Mapping[int, int]) -> str:
    return json.dumps({topic: {str(partition): point for partition, point in points.items()}})


def everywhere(topic: str, point: int, **but: int) -> str:
    """The same in each partition, but for some, by names such as `p4`."""
    return by_partition(topic, {n: but.get(f"p{n}", point) for n in PARTITIONS})
