"""A mirror that keeps offsets, as Cluster Linking or shadowing makes one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition
from dynamic_kafka._brokers.waiting import eventually
from dynamic_kafka.testing._patience import QUICK, is_coming_up
from dynamic_kafka.testing._records import Record

from tests.cluster.kafka_cluster import KafkaCluster
from tests.cluster.repeated import Repeated

# Between two looks, and how long one waits for records; seconds.
_PAUSE, _POLL = 0.02, 0.05
_AT_ONCE = 500
_CATCHING_UP = 60.0


class Mirror(Repeated):
    """Copies a topic from one cluster to another on a thread, each record to its own partition and offset.

    It begins where the topic ends on the target: at 0 where that is empty, and on the way back where the first
    mirroring ended. The source must have no gaps from there on, so no transactions; one is an error. Both have the same
    partitions, and while it copies nobody else writes to the topic on the target.
    """

    def __init__(self, source: KafkaCluster, target: KafkaCluster, topic: str) -> None:
        super().__init__(f"mirror-{topic}", _PAUSE)
        self._source, self._target, self._topic = source, target, topic
        self._next = target.end_offsets(topic)
        self._copies = True
        self._consumer = self._open()

    def pause(self) -> dict[int, int]:
        """From the return on nothing more is copied, so that the mirror lags. Returns where it ends, by partition."""
        with self._turn:
            self._copies = False
            return dict(self._next)

    def resume(self) -> None:
        """Ends a pause."""
        with self._turn:
            self._copies = True

    def await_caught_up(self, within: float = _CATCHING_UP) -> None:
        """Waits until the target ends where the source ended at the call, or later."""
        ends = self._source.end_offsets(self._topic)

        def lag() -> dict[int, int]:
            self.check()
            with self._turn:
                return {number: end - self._next[number] for number, end in ends.items() if end > self._next[number]}

        claim = f"the mirror of {self._topic} on {self._target.name} has caught up with {self._source.name}"
        eventually(claim, lag, until=lambda left: not left, within=within)
        with self._turn:
            assert self._target.end_offsets(self._topic) == self._next, "somebody else writes to the mirror"

    def _step(self) -> None:
        if self._copies:
            self._copy(self._consumer.consume(_AT_ONCE, _POLL))

    def _run(self) -> None:
        super()._run()
        self._consumer.close()

    def _open(self) -> Consumer:
        consumer = Consumer(
            {
                **QUICK,
                "bootstrap.servers": self._source.second_address,
                "group.id": "unused",
                "enable.auto.commit": False,
                "auto.offset.reset": "error",
            }
        )
        consumer.assign([TopicPartition(self._topic, number, offset) for number, offset in self._next.items()])
        return consumer

    def _copy(self, messages: Iterable[Message]) -> None:
        ends = dict(self._next)
        records = defaultdict(list)
        for message in messages:
            error = message.error()
            if error is None:
                number, offset = message.partition() or 0, message.offset() or 0
                if offset != ends[number]:
                    raise RuntimeError(f"{self._topic} has a gap: {offset} follows {ends[number]} in {number}")
                ends[number] += 1
                records[number].append(_record(message))
            elif not is_coming_up(error):  # a cluster that is dead is one that may come up
                raise KafkaException(error)
        for number in records:
            self._target.produce(self._topic, records[number])
            self._next[number] = ends[number]


def _record(message: Message) -> Record:
    given = message.headers() or []
    pairs = given.items() if isinstance(given, dict) else given
    headers = tuple((name, value.encode() if isinstance(value, str) else value) for name, value in pairs)
    return Record(message.key(), message.value(), headers, message.timestamp()[1], message.partition())


def await_ends(cluster: KafkaCluster, topic: str, offsets: Mapping[int, int]) -> None:
    """Waits until each partition of a topic ends at this offset or later."""
    eventually(
        f"{topic} on {cluster.name} ends at {offsets} or later",
        lambda: cluster.end_offsets(topic),
        until=lambda ends: all(ends[number] >= offset for number, offset in offsets.items()),
        within=_CATCHING_UP,
    )
