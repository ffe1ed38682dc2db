"""A mirror that keeps offsets, as Cluster Linking or shadowing makes one."""

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import TracebackType

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition

from tests.cluster.kafka_cluster import KafkaCluster
from tests.cluster.patience import QUICK, is_coming_up
from tests.cluster.records import Record
from tests.cluster.waiting import eventually

# Between two looks, and how long one waits for records; seconds.
_PAUSE, _POLL = 0.02, 0.05
_AT_ONCE = 500
_CATCHING_UP = 60.0


class Mirror:
    """Copies a topic from one cluster to another on a thread, each record to its own partition and offset.

    It begins where the topic ends on the target: at 0 where that is empty, and on the way back where the first
    mirroring ended. The source must have no gaps from there on, so no transactions; one is an error. Both have the same
    partitions, and while it copies nobody else writes to the topic on the target.
    """

    def __init__(self, source: KafkaCluster, target: KafkaCluster, topic: str) -> None:
        self._source, self._target, self._topic = source, target, topic
        self._next = target.end_offsets(topic)
        self._copies = True
        self._failure: BaseException | None = None
        # Held for each step: who has it knows that nothing is under way.
        self._turn = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"mirror-{topic}", daemon=True)

    def __enter__(self) -> "Mirror":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        if error is None:
            self.check()

    def stop(self) -> None:
        """Ends the mirroring; from the return on others may write to the target."""
        self._over.set()
        self._thread.join()
        self.check()

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

    def check(self) -> None:
        """Raises what the mirroring failed with, if it did."""
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        consumer = self._consumer()
        try:
            while not self._over.wait(_PAUSE):
                with self._turn:
                    if self._copies:
                        self._copy(consumer.consume(_AT_ONCE, _POLL))
        except BaseException as failure:  # raised by who looks
            self._failure = failure
        finally:
            consumer.close()

    def _consumer(self) -> Consumer:
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
