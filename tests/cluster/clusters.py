"""Several clusters at once."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from dynamic_kafka._brokers.settings import SMALL_JAVA

from tests.cluster.class_archive import with_archive
from tests.cluster.gate import Gate
from tests.cluster.kafka_cluster import KafkaCluster
from tests.cluster.ports import Port, claim_port
from tests.cluster.process_broker import BrokerPlan, ProcessBroker, class_path
from tests.cluster.secure_listeners import PROTOCOLS
from tests.cluster.server_settings import Listeners, Quorum, ServerSettings
from tests.cluster.versions import chosen_version, needs_zookeeper
from tests.cluster.zookeeper_broker import ZooKeeperBroker

_ROOT = Path(__file__).resolve().parents[2] / "build" / "clusters"
_DEFAULT = ServerSettings()


class KafkaClusters:
    """Starts clusters in parallel, finds them by name, and takes them all down when closed.

    Brokers are processes. Their files lie under ``build/clusters`` while it is open.
    """

    def __init__(self, root: Path = _ROOT) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self._folder = tempfile.TemporaryDirectory(prefix="run-", dir=root, ignore_cleanup_errors=True)
        self._clusters: dict[str, KafkaCluster] = {}
        self._ports: list[Port] = []

    def __enter__(self) -> "KafkaClusters":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[KafkaCluster]:
        return iter(self._clusters.values())

    def start(self, *names: str, settings: ServerSettings = _DEFAULT) -> list[KafkaCluster]:
        """New clusters with these names, in this order; returns when all can be used.

        Raises ``ValueError`` for a name that is there already.
        """
        known = self._clusters.keys() & set(names)
        if known:
            raise ValueError(f"Clusters {sorted(known)} are there already. Use get, or other names.")
        started = [self._new(name, settings) for name in names]
        self._clusters |= {cluster.name: cluster for cluster in started}
        _in_parallel(KafkaCluster.start, started)
        return started

    def get(self, name: str) -> KafkaCluster:
        return self._clusters[name]

    def heal(self) -> None:
        """Brings back what tests killed, stopped or paused."""
        _in_parallel(KafkaCluster.heal, self)

    def keep_logs(self, into: Path) -> None:
        """Copies what each broker printed to ``<into>/<cluster>.log``, of several with their numbers."""
        into.mkdir(parents=True, exist_ok=True)
        for cluster in self:
            for name, log in cluster.logs().items():
                if log.exists():
                    shutil.copy(log, into / f"{name}.log")

    def close(self) -> None:
        """Ends all brokers at once and deletes their files. May be called again."""
        _in_parallel(KafkaCluster.destroy, self)
        self._clusters.clear()
        self._folder.cleanup()
        for port in self._ports:
            port.release()
        self._ports.clear()

    def _new(self, name: str, settings: ServerSettings) -> KafkaCluster:
        numbers = range(1, settings.brokers + 1)
        listeners = {number: self._listeners(settings) for number in numbers}
        controllers = {number: ports.controller for number, ports in listeners.items()}
        plans = [
            BrokerPlan(
                name=name if settings.brokers == 1 else f"{name}-{number}",
                folder=Path(self._folder.name, name, str(number)),
                listeners=listeners[number],
                quorum=Quorum(number, controllers),
                settings=settings,
            )
            for number in numbers
        ]
        for plan in plans:
            plan.folder.mkdir(parents=True)
        return KafkaCluster(name, [_broker(plan) for plan in plans])

    def _listeners(self, settings: ServerSettings) -> Listeners:
        secure = {listener: self.port() for listener in (PROTOCOLS if settings.certificates else ())}
        advertised = {listener: self.port() for listener in settings.advertised_ports}
        return Listeners(self.port(), self.port(), self.port(), secure, advertised)

    def port(self) -> int:
        """One that is held until these are closed."""
        port = claim_port()
        self._ports.append(port)
        return port.number


@contextmanager
def behind_gates(*names: str) -> Iterator[tuple[KafkaCluster, dict[str, Gate]]]:
    """A cluster of its own behind gates of these names, each of which is the whole cluster to who comes through it."""
    with KafkaClusters() as clusters, ExitStack() as gates:
        ports = {name: clusters.port() for name in names}
        (cluster,) = clusters.start("gated", settings=ServerSettings(advertised_ports=ports))
        yield cluster, {name: gates.enter_context(Gate(port, cluster.port(name))) for name, port in ports.items()}


def prepare_brokers() -> None:
    """Makes what the first broker of the usual version needs and all later ones use again."""
    if not needs_zookeeper(chosen_version()):
        _archive()


def _broker(plan: BrokerPlan) -> ProcessBroker:
    version = plan.settings.version
    class_path(version)  # once, before the clusters start in parallel
    if needs_zookeeper(version):
        return ZooKeeperBroker(plan)
    # An archive pays where brokers of this kind start often.
    usual = version == chosen_version() and plan.settings.java_options == SMALL_JAVA
    return ProcessBroker(plan, _archive() if usual else ())


def _archive() -> tuple[str, ...]:
    """The options by which the usual broker starts from an archive of its classes."""
    return with_archive("broker", class_path(chosen_version()), _run_one)


def _run_one(option: str) -> None:
    with KafkaClusters() as clusters:
        (cluster,) = clusters.start("archive", settings=ServerSettings(java_options=(*SMALL_JAVA, option)))
        cluster.stop()


def _in_parallel(act: Callable[[KafkaCluster], None], clusters: Iterable[KafkaCluster]) -> None:
    with ThreadPoolExecutor(max_workers=8, thread_name_prefix="clusters") as pool:
        list(pool.map(act, clusters))
