"""Several clusters at once."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from dynamic_kafka._brokers.settings import SMALL_JAVA
from dynamic_kafka.testing._clusters import Clusters

from tests.cluster.class_archive import with_archive
from tests.cluster.gate import Gate
from tests.cluster.kafka_cluster import KafkaCluster
from tests.cluster.process_broker import BrokerPlan, ProcessBroker, kafka
from tests.cluster.secure_listeners import PROTOCOLS
from tests.cluster.server_settings import Listeners, Quorum, ServerSettings
from tests.cluster.versions import chosen_version, needs_zookeeper
from tests.cluster.zookeeper_broker import ZooKeeperBroker

_ROOT = Path(__file__).resolve().parents[2] / "build" / "clusters"
_DEFAULT = ServerSettings()


class KafkaClusters(Clusters[KafkaCluster]):
    """Starts clusters, each with settings of its own. Their files lie under ``build/clusters`` while it is open."""

    def __init__(self, root: Path = _ROOT) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self._temporary = tempfile.TemporaryDirectory(prefix="run-", dir=root, ignore_cleanup_errors=True)
        super().__init__(Path(self._temporary.name))

    def start(self, *names: str, settings: ServerSettings = _DEFAULT) -> list[KafkaCluster]:
        """New clusters with these names, in this order; returns when all can be used.

        Raises ``ValueError`` for a name that is there already.
        """
        return self._started(names, partial(self._new, settings=settings))

    def keep_logs(self, into: Path) -> None:
        """Copies what each broker printed to ``<into>/<cluster>.log``, of several with their numbers."""
        into.mkdir(parents=True, exist_ok=True)
        for cluster in self:
            for name, log in cluster.logs().items():
                if log.exists():
                    shutil.copy(log, into / f"{name}.log")

    def close(self) -> None:
        super().close()
        self._temporary.cleanup()

    def _new(self, name: str, settings: ServerSettings) -> KafkaCluster:
        numbers = range(1, settings.brokers + 1)
        listeners = {number: self._listeners(settings) for number in numbers}
        controllers = {number: ports.controller for number, ports in listeners.items()}
        plans = [
            BrokerPlan(
                name=name if settings.brokers == 1 else f"{name}-{number}",
                folder=self.folder / name / str(number),
                listeners=listeners[number],
                quorum=Quorum(number, controllers),
                settings=settings,
            )
            for number in numbers
        ]
        return KafkaCluster(name, [_broker(plan) for plan in plans])

    def _listeners(self, settings: ServerSettings) -> Listeners:
        secure = {listener: self.port() for listener in (PROTOCOLS if settings.certificates else ())}
        advertised = {listener: self.port() for listener in settings.advertised_ports}
        return Listeners(self.port(), self.port(), self.port(), secure, advertised)


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
    kafka(version)  # once, before the clusters start in parallel
    if needs_zookeeper(version):
        return ZooKeeperBroker(plan)
    # An archive pays where brokers of this kind start often.
    usual = version == chosen_version() and plan.settings.java_options == SMALL_JAVA
    return ProcessBroker(plan, _archive() if usual else ())


def _archive() -> tuple[str, ...]:
    """The options by which the usual broker starts from an archive of its classes."""
    return with_archive("broker", kafka(chosen_version()).class_path, _run_one)


def _run_one(option: str) -> None:
    with KafkaClusters() as clusters:
        (cluster,) = clusters.start("archive", settings=ServerSettings(java_options=(*SMALL_JAVA, option)))
        cluster.stop()
