"""Brokers at a distance: a forwarder before each delays what it answers."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from tests.cluster import KafkaCluster, KafkaClusters, ServerSettings
from tests.cluster.gate import REFUSE, Gate, Way

from bench.folders import FOLDER

NAMES = ("far-a", "far-b")
_FAR = "FAR"


@dataclass(frozen=True, slots=True)
class FarBrokers:
    """Clusters of one broker each, and the gates before them in the same order. Who comes through a gate is far away.
    The clusters' own addresses stay near, for what is not measured."""

    clusters: Sequence[KafkaCluster]
    gates: Sequence[Gate]

    def move(self, round_trip: float, bandwidth: float | None = None) -> None:
        """From now on a round trip to each takes so many seconds longer, and each answers with so many bytes a second
        (none: no limit)."""
        for gate in self.gates:
            gate.turn(Way(delay=round_trip, bandwidth=bandwidth))

    def disconnect(self) -> None:
        """Ends all connections that are open."""
        for gate in self.gates:
            way = gate.way
            gate.turn(REFUSE)
            gate.turn(way)


@contextmanager
def far_brokers(settings: ServerSettings, listener: str = _FAR) -> Iterator[FarBrokers]:
    """Starts them with these settings, at first without a distance. ``listener`` is what clients reach through a gate,
    such as one of ``secure_listeners``."""
    with KafkaClusters(FOLDER / "clusters") as clusters, ExitStack() as stack:
        started, gates = [], []
        for name in NAMES:
            port = clusters.port()
            (cluster,) = clusters.start(name, settings=replace(settings, advertised_ports={listener: port}))
            started.append(cluster)
            gates.append(stack.enter_context(Gate(port, cluster.port(listener))))
        yield FarBrokers(started, gates)
