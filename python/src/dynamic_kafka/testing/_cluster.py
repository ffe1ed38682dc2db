"""One Kafka cluster of a test, which may use and break it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from confluent_kafka import KafkaException

from dynamic_kafka._brokers import SetupError
from dynamic_kafka._brokers.broker import Broker, new_kafka_id
from dynamic_kafka._brokers.waiting import NotYet, eventually
from dynamic_kafka.testing._topics import Topics

# How long brokers may take to come up, seconds, several clusters at once on a busy machine.
_STARTING = 180.0


class KafkaCluster(Topics):
    """A Kafka cluster on this machine. Keeps its address and its data through stop, kill and pause.

    A `KafkaTestbed` has two of them.

        >>> cluster = kafka_testbed.cluster("eu-1")
        >>> cluster.create_topic("audit", partitions=3)
        >>> cluster.produce("audit", [("key", "value"), Record(None, b"\\x00", partition=2)])
        2
    """

    kafka_id: str
    """Kafka's own id of the cluster."""

    def __init__(self, name: str, address: str, brokers: Sequence[Broker]) -> None:
        super().__init__(name, address)
        self._brokers = brokers
        self.kafka_id = new_kafka_id()

    @property
    def bootstrap_servers(self) -> str:
        """The address for clients, such as `127.0.0.1:20123`. No login is needed."""
        return self._address

    def start(self) -> None:
        """Starts it on the data that is there, and returns when it answers. Harmless while it runs.

        Raises `SetupError` if it ends, and `AssertionError` if it does not answer within 180 seconds.
        """
        self._start(self._brokers)

    def stop(self) -> None:
        """Shuts it down in good order."""
        self._stop(self._brokers)

    def kill(self) -> None:
        """Ends it as a crash would."""
        self._kill(self._brokers)

    def pause(self) -> None:
        """Freezes it: connections stay open, and requests get no answer."""
        self._pause(self._brokers)

    def resume(self) -> None:
        """Ends a pause, and returns when it answers again."""
        self._resume(self._brokers)

    def heal(self) -> None:
        """Undoes what was done to it: afterwards it is neither paused nor down."""
        each(self._brokers, Broker.resume)
        self.start()

    def is_up(self, within: float = 1) -> bool:
        """Whether it runs, and answers within so many seconds."""
        running = all(broker.is_running() for broker in self._brokers)
        return running and self._there(within) >= _numbers(self._brokers)

    def _destroy(self) -> None:
        """Ends it, and deletes its data."""
        each(self._brokers, Broker.kill)
        each(self._brokers, Broker.wipe)

    def _start(self, brokers: Sequence[Broker]) -> None:
        each(brokers, lambda broker: broker.start(self.kafka_id))
        self._await_up(brokers)

    def _stop(self, brokers: Sequence[Broker]) -> None:
        each(brokers, Broker.stop)

    def _kill(self, brokers: Sequence[Broker]) -> None:
        each(brokers, Broker.kill)

    def _pause(self, brokers: Sequence[Broker]) -> None:
        each(brokers, Broker.pause)

    def _resume(self, brokers: Sequence[Broker]) -> None:
        each(brokers, Broker.resume)
        self._await_up(brokers)

    def _there(self, within: float) -> set[int]:
        """The numbers of the brokers that the cluster reports; none if it does not answer in so many seconds."""
        try:
            return set(self._listed(within).brokers)
        except KafkaException:
            return set()

    def _await_up(self, brokers: Sequence[Broker]) -> None:
        def up() -> bool:
            for broker in brokers:
                if not broker.is_running():
                    raise SetupError(f"Kafka broker {broker.name} ended. {broker.last_words()}")
            missing = _numbers(brokers) - self._there(5)
            if missing:
                raise NotYet(f"no broker {sorted(missing)} at {self._address}")
            return True

        eventually(f"cluster {self.name} answers", up, within=_STARTING)


def each(brokers: Sequence[Broker], act: Callable[[Broker], None]) -> None:
    """Acts on all of them at once."""
    with ThreadPoolExecutor(max_workers=len(brokers)) as pool:
        list(pool.map(act, brokers))


def _numbers(brokers: Sequence[Broker]) -> set[int]:
    return {broker.number for broker in brokers}
