"""Queries in Real-Time Mode, from Kafka to Kafka, and what comes out of them."""

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer
from dynamic_kafka import DynamicKafkaSourceBuilder
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from tests.cluster import KafkaCluster, NotYet, eventually
from tests.scenarios.consuming import consumer_of
from tests.scenarios.queries import SOON
from tests.scenarios.scene import Scene

# A batch that ends by its time does so long after the test.
LONG: dict[str, Any] = {"realTime": "5 minutes"}
# As short as Spark allows.
SHORT: dict[str, Any] = {"realTime": "5 seconds"}


class Output:
    """The topic into which queries write."""

    def __init__(self, cluster: KafkaCluster, topic: str) -> None:
        cluster.create_topic(topic)
        self.cluster, self.topic = cluster, topic
        self._seen: list[tuple[str, float]] = []
        self._consumer: Consumer = consumer_of(cluster, f"output-{uuid.uuid4()}")
        self._consumer.subscribe([topic])

    def close(self) -> None:
        self._consumer.close()

    def values(self) -> list[str]:
        """All that has come, in the order of its coming."""
        while (message := self._consumer.poll(0.02)) is not None:
            if message.error() is None:
                self._seen.append(((message.value() or b"").decode(), time.monotonic()))
        return [value for value, _ in self._seen]

    def await_values(self, expected: Iterable[str], within: float = SOON, check: Callable[[], object] = int) -> None:
        """Waits until just these values have come, each as often as it is given."""
        wanted = Counter(expected)
        self._await(wanted, lambda missing, more: not missing and not more, within, check)

    def await_among(self, expected: Iterable[str], within: float = SOON, check: Callable[[], object] = int) -> None:
        """Waits until these have come at least, whatever else has."""
        self._await(Counter(expected), lambda missing, _: not missing, within, check)

    def _await(
        self,
        wanted: Counter[str],
        until: Callable[[Counter[str], Counter[str]], bool],
        within: float,
        check: Callable[[], object],
    ) -> None:
        def difference() -> tuple[Counter[str], Counter[str]]:
            check()
            seen = Counter(self.values())
            return wanted - seen, seen - wanted

        eventually(
            "the query has written what was expected; last seen: missing, unexpected",
            difference,
            until=lambda seen: until(*seen),
            within=within,
            every=0.02,
        )


class LiveQuery:
    """One query into an output. ``start`` it again after ``stop``, with any trigger."""

    def __init__(self, checkpoint: Path, output: Output) -> None:
        self.checkpoint, self.output = checkpoint, output
        self.query: StreamingQuery

    def start(self, frame: DataFrame, **trigger: Any) -> "LiveQuery":
        live = not trigger or "realTime" in trigger
        writer = frame.selectExpr("value").writeStream.format("kafka").outputMode("update" if live else "append")
        writer = writer.option("kafka.bootstrap.servers", self.output.cluster.bootstrap_servers)
        writer = writer.option("topic", self.output.topic).option("checkpointLocation", str(self.checkpoint))
        self.query = writer.trigger(**(trigger or LONG)).start()
        return self

    def check(self) -> None:
        """Raises what the query failed with, if it did."""
        failure = self.query.exception()
        if failure is not None:
            raise failure

    def await_values(self, expected: Iterable[str], within: float = SOON) -> None:
        self.output.await_values(expected, within, self.check)

    def await_among(self, expected: Iterable[str], within: float = SOON) -> None:
        self.output.await_among(expected, within, self.check)

    def committed(self) -> int:
        """How many batches are committed."""
        commits = self.checkpoint / "commits"
        return sum(path.name.isdigit() for path in commits.iterdir()) if commits.exists() else 0

    def begun(self) -> str:
        """What is kept of the beginning of the newest batch."""
        self.check()
        kept = [path for path in (self.checkpoint / "sources" / "0" / "realtime").glob("[0-9]*") if path.name.isdigit()]
        if not kept:
            raise NotYet("nothing is kept")
        return max(kept, key=lambda path: int(path.name)).read_text()

    def await_committed(self, count: int, within: float = SOON) -> None:
        def seen() -> int:
            self.check()
            return self.committed()

        eventually(f"{count} batches are committed", seen, until=lambda now: now >= count, within=within)

    def stop(self) -> None:
        if hasattr(self, "query"):
            self.query.stop()


@contextmanager
def live_query(checkpoint: Path, cluster: KafkaCluster, topic: str) -> Iterator[LiveQuery]:
    """Stopped at the end of the block."""
    output = Output(cluster, topic)
    running = LiveQuery(checkpoint, output)
    try:
        yield running
    finally:
        running.stop()
        output.close()


def reads(scene: Scene) -> DynamicKafkaSourceBuilder:
    """One core stays for the sink's own work."""
    return scene.read("orders").real_time_tasks(1)
