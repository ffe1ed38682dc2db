"""The topic that drivers write in Real-Time Mode, start after start."""

import json
import uuid
from collections.abc import Mapping

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition
from dynamic_kafka.testing._patience import code_of, is_coming_up

from tests.chaos.places import Row
from tests.chaos.repeats import Came
from tests.cluster import KafkaCluster
from tests.scenarios.consuming import consumer_of

_AT_ONCE = 10_000
_POLL_SECONDS = 0.1
_PATIENCE = 60.0


class Sink:
    """One partition of a cluster that no fault touches, so all that was written is there in one order. It looks like
    ``Table``; a row's ``batch`` is the start of the query that wrote it. For one thread, but for ``ids``."""

    def __init__(self, cluster: KafkaCluster, topic: str) -> None:
        cluster.create_topic(topic)
        # As Spark's writer takes them.
        self.options: Mapping[str, str] = {"kafka.bootstrap.servers": cluster.bootstrap_servers, "topic": topic}
        self._client: Consumer = consumer_of(cluster, f"sink-{uuid.uuid4()}")
        self._place = TopicPartition(topic, 0, OFFSET_BEGINNING)
        self._client.assign([self._place])
        self._next = 0
        # All that came, and the first copies alone.
        self.came: list[Came] = []
        self.rows: list[Row] = []
        self.ids: set[str] = set()
        # When the first row of each start came, by the wall clock, in seconds.
        self.times: dict[int, float] = {}

    def __enter__(self) -> "Sink":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def refresh(self) -> int:
        """Reads what is there now; returns how many rows there are. A client that has lost sight of the topic for a
        moment, as on a busy machine, finds nothing new."""
        try:
            _, end = self._client.get_watermark_offsets(self._place, timeout=_PATIENCE)
        except KafkaException as error:
            if is_coming_up(error.args[0]) or code_of(error) == KafkaError._UNKNOWN_PARTITION:
                return len(self.rows)
            raise
        while self._next < end:
            for message in self._client.consume(_AT_ONCE, timeout=_POLL_SECONDS):
                if message.error() is None:
                    self._take(message)
        return len(self.rows)

    @property
    def last_batch(self) -> int:
        """The newest start of which rows came; 0 for none."""
        return max(self.times, default=0)

    def _take(self, message: Message) -> None:
        offset = message.offset() or 0
        came = came_of((message.value() or b"").decode(), offset, message.timestamp()[1] / 1000)
        self._next = offset + 1
        self.came.append(came)
        self.times.setdefault(came.start, came.at)
        if came.row.id not in self.ids:
            self.rows.append(came.row)
            self.ids.add(came.row.id)


def came_of(text: str, offset: int, at: float) -> Came:
    """What a record of the topic says that lies at this offset there, written at this time."""
    row = json.loads(text)
    place = row["cluster"], row["topic"], row["partition"], row["offset"]
    return Came(row["start"], Row(row["id"], *place, row["start"], ("sink", offset)), at)
