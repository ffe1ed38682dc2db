"""The clusters of the suite ``sick``, and what happens to some of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product

from tests.cluster import KafkaCluster, KafkaClusters, ServerSettings
from tests.cluster.gate import PASS, REFUSE, Gate, Way

from bench.folders import FOLDER
from bench.sources import Listed

THREE, MANY = "1 of 3", "10 of 32"
FROZEN, KILLED, REFUSES, SLOW = "frozen", "killed", "refuses", "answers after 2 s"
BROKER = "1 of 3, one of its three brokers frozen"
DENIED = "1 of 3, its topic denied"
IDLE = "1 of 3 frozen, nothing is written to it"
CASES = (*(f"{size} {how}" for size, how in product((THREE, MANY), (FROZEN, KILLED, REFUSES, SLOW))), BROKER, DENIED)

_MANY, _SICK_OF_THEM = 32, 10
# The delay of each answer of a slow one, in seconds.
_LATE = 2.0
_GATED = "GATED"
_USER, _PASSWORD = "reader", "reader-secret"
# By partition, who holds it; the first leads.
_REPLICAS = ((1, 2, 3), (2, 3, 1), (3, 1, 2))


@dataclass(frozen=True, slots=True)
class Place:
    """One cluster that is read, and the cluster that really serves it, whose other address nothing stands before."""

    read: Listed
    server: KafkaCluster

    @property
    def written(self) -> Listed:
        return Listed(self.read.cluster_id, self.server.second_address, self.read.topic)

    def create(self) -> None:
        replicas = _REPLICAS if len(self.server.brokers) == len(_REPLICAS) else None
        self.server.create_topic(self.read.topic, replicas=replicas)


@dataclass(frozen=True, slots=True)
class Case:
    """Some clusters stay healthy. The others are sick from one moment to another. ``busy`` ones are written to all the
    time; else only healthy ones are."""

    name: str
    healthy: Sequence[Place]
    sick: Sequence[Place]
    falls_sick: Callable[[], None]
    recovers: Callable[[], None]
    busy: bool = True

    @property
    def places(self) -> list[Place]:
        return [*self.healthy, *self.sick]

    @property
    def written(self) -> list[Listed]:
        return [place.written for place in (self.places if self.busy else self.healthy)]


@dataclass(frozen=True, slots=True)
class Servers:
    """Two that stay healthy; one that falls sick, with a gate before it; and one of three brokers."""

    pair: Sequence[KafkaCluster]
    one: KafkaCluster
    gate: Gate
    trio: KafkaCluster

    def cases(self, turn: str) -> list[Case]:
        """All cases, with topics of their own for each ``turn``."""
        found = []
        for size, how in product((self._three, self._many), (FROZEN, KILLED, REFUSES, SLOW)):
            found.append(size(f"{turn}-{how[:4]}", how))
        return [*found, self._broker(f"{turn}-broker"), self._denied(f"{turn}-denied"), self._idle(f"{turn}-idle")]

    def _three(self, topic: str, how: str) -> Case:
        sick = Place(Listed("c", self._address(how), topic), self.one)
        return Case(f"{THREE} {how}", self._pair(topic), [sick], *self._fault(how))

    def _many(self, topic: str, how: str) -> Case:
        """Three brokers serve as all clusters. Each cluster has its own id, topic and connections."""

        def place(number: int, address: str, server: KafkaCluster) -> Place:
            name = f"cluster-{number:02d}"
            return Place(Listed(name, address, f"{topic}-{name}"), server)

        servers = [self.pair[number % len(self.pair)] for number in range(_MANY - _SICK_OF_THEM)]
        healthy = [place(number, server.bootstrap_servers, server) for number, server in enumerate(servers)]
        sick = [place(number, self._address(how), self.one) for number in range(len(healthy), _MANY)]
        return Case(f"{MANY} {how}", healthy, sick, *self._fault(how))

    def _broker(self, topic: str) -> Case:
        sick = Place(Listed("c", self.trio.bootstrap_servers, topic), self.trio)
        return Case(BROKER, self._pair(topic), [sick], lambda: self.trio.pause(2), lambda: self.trio.resume(2))

    def _denied(self, topic: str) -> Case:
        sick = Place(Listed("c", self.one.bootstrap_servers, topic, self.one.properties(_USER)), self.one)
        denies, permits = lambda: self.one.forbid(_USER, topic), lambda: self.one.permit(_USER, topic)
        return Case(DENIED, self._pair(topic), [sick], denies, permits)

    def _idle(self, topic: str) -> Case:
        sick = Place(Listed("c", self._address(FROZEN), topic), self.one)
        return Case(IDLE, self._pair(topic), [sick], *self._fault(FROZEN), busy=False)

    def _pair(self, topic: str) -> list[Place]:
        return [Place(Listed(server.name, server.bootstrap_servers, topic), server) for server in self.pair]

    def _address(self, how: str) -> str:
        return self.gate.address if how in (REFUSES, SLOW) else self.one.second_address

    def _fault(self, how: str) -> tuple[Callable[[], None], Callable[[], None]]:
        """What makes the one sick, and what ends it."""
        return {
            FROZEN: (self.one.pause, self.one.resume),
            KILLED: (self.one.kill, self.one.start),
            REFUSES: (lambda: self.gate.turn(REFUSE), lambda: self.gate.turn(PASS)),
            SLOW: (lambda: self.gate.turn(Way(delay=_LATE)), lambda: self.gate.turn(PASS)),
        }[how]


@contextmanager
def servers() -> Iterator[Servers]:
    """Starts them all."""
    with KafkaClusters(FOLDER / "clusters") as clusters:
        port = clusters.port()
        settings = ServerSettings(users={_USER: _PASSWORD}, advertised_ports={_GATED: port})
        pair = clusters.start("a", "b")
        (one,) = clusters.start("c", settings=settings)
        (trio,) = clusters.start("trio", settings=ServerSettings(brokers=3))
        with Gate(port, one.port(_GATED)) as gate:
            yield Servers(pair, one, gate, trio)
