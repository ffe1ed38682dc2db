"""Several clusters at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from dynamic_kafka._brokers.broker import Kafka, single_broker
from dynamic_kafka._brokers.ports import Port, claim_port
from dynamic_kafka.testing._cluster import KafkaCluster

if TYPE_CHECKING:
    from typing_extensions import Self

Cluster = TypeVar("Cluster", bound=KafkaCluster)


class Clusters(Generic[Cluster]):
    """Starts clusters in parallel, finds them by name, and takes them all down when closed."""

    def __init__(self, folder: Path) -> None:
        """Their files are below ``folder``, which exists."""
        self.folder = folder
        self._clusters: dict[str, Cluster] = {}
        self._ports: list[Port] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Cluster]:
        return iter(self._clusters.values())

    def get(self, name: str) -> Cluster:
        return self._clusters[name]

    def heal(self) -> None:
        """Brings back what tests killed, stopped or paused."""
        self._at_once(lambda cluster: cluster.heal())

    def port(self) -> int:
        """A port that is held until the clusters are closed."""
        port = claim_port()
        self._ports.append(port)
        return port.number

    def close(self) -> None:
        """Ends all brokers at once and deletes their data. May be called again."""
        self._at_once(lambda cluster: cluster._destroy())
        self._clusters.clear()
        for port in self._ports:
            port.release()
        self._ports.clear()

    def _started(self, names: Sequence[str], new: Callable[[str], Cluster]) -> list[Cluster]:
        """New clusters with these names; returns when all can be used."""
        known = self._clusters.keys() & set(names)
        if known:
            raise ValueError(f"Clusters {sorted(known)} are there already. Use get, or other names.")
        made = {name: new(name) for name in names}
        self._clusters |= made
        self._at_once(lambda cluster: cluster.start(), list(made.values()))
        return list(made.values())

    def _at_once(self, act: Callable[[KafkaCluster], None], clusters: Sequence[Cluster] | None = None) -> None:
        chosen = list(self) if clusters is None else clusters
        with ThreadPoolExecutor(max_workers=8, thread_name_prefix="clusters") as pool:
            list(pool.map(act, chosen))


class SmallClusters(Clusters[KafkaCluster]):
    """Clusters of one broker each, without logins."""

    def __init__(self, folder: Path, kafka: Kafka) -> None:
        super().__init__(folder)
        self._kafka = kafka

    def start(self, *names: str) -> None:
        """New clusters with these names; returns when all can be used."""
        self._started(names, self._new)

    def _new(self, name: str) -> KafkaCluster:
        broker = single_broker(name, self.folder / name, self._kafka, self.port(), self.port())
        return KafkaCluster(name, broker.address, [broker])
