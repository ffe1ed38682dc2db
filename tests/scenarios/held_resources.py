"""The resources that a session holds for the source, in Python and in the JVM: how many there are of each."""

import gc
import re
import threading
from collections import Counter
from dataclasses import asdict, dataclass, field

from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster
from tests.scenarios.driver_jvm import DriverJvm

# A line of the JVM's histogram: rank, instances, bytes, class. The source's own, Kafka's clients in its jar included.
_OURS = re.compile(r"^\s*\d+:\s+(\d+)\s+\d+\s+(io\.github\.dynamickafka\.\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HeldResources:
    """What can be counted: ``callbacks`` are Python objects that the JVM may call, ``beans`` the MBeans of Kafka's
    clients.

    Threads come and go with the calls of a query at rest, several times a second. So two of these are equal if all else
    is. The names of the JVM's threads are for the reader of a failure.
    """

    connections: int
    beans: int
    callbacks: int
    threads: tuple[str, ...] = field(compare=False)
    python_threads: int = field(compare=False)

    def counts(self) -> dict[str, int]:
        """How many there are of each."""
        return {**asdict(self), "threads": len(self.threads)}

    def beyond(self, before: "HeldResources", rounds: int) -> dict[str, int]:
        """How much more there is of what leaked in so many rounds, by its name. Of threads, which are as many as calls
        are at a time, one for each round is a leak; of all else, one alone."""
        earlier = before.counts()
        more = {name: count - earlier[name] for name, count in self.counts().items()}
        return {name: count for name, count in more.items() if count >= (rounds if "threads" in name else 1)}


class ResourceCounter:
    """Counts. Earlier tests have left objects in the JVM, and threads in Python that serve them. These end later, and
    do not count: they neither hide a leak nor look like one."""

    def __init__(self, spark: SparkSession, *clusters: KafkaCluster) -> None:
        self._driver = DriverJvm(spark)
        gateway = spark.sparkContext._gateway
        assert gateway is not None
        self._gateway = gateway
        self._clusters = clusters
        self._old_callbacks = frozenset(self._callbacks())
        self._old_threads = frozenset(threading.enumerate())

    def held(self) -> HeldResources:
        """As of now, garbage left out."""
        self._collect()
        return HeldResources(
            connections=sum(len(self._driver.connections(cluster)) for cluster in self._clusters),
            beans=len(self._driver.beans("kafka.*:*")),
            callbacks=len(self._callbacks() - self._old_callbacks),
            threads=tuple(self._driver.our_threads()),
            python_threads=len(frozenset(threading.enumerate()) - self._old_threads),
        )

    def _callbacks(self) -> set[str]:
        """The ids by which the JVM knows them, none of which is used twice."""
        return set(self._gateway.gateway_property.pool.dict)

    def instances(self) -> Counter[str]:
        """How many objects there are of each class of the source's jar, after a full collection."""
        self._collect()
        return Counter({name: int(count) for count, name in _OURS.findall(self._driver.histogram())})

    def heap_mb(self) -> float:
        """What the JVM's live objects take, in MB."""
        self._collect()
        runtime = self._gateway.jvm.java.lang.Runtime.getRuntime()
        return float(runtime.totalMemory() - runtime.freeMemory()) / 1e6

    def _collect(self) -> None:
        gc.collect()  # hands over to the JVM what Python does not use any more
        self._gateway.jvm.java.lang.System.gc()
