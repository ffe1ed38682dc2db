"""Sets a stage, has a run played on it, and keeps what it left."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.chaos.checkpoint import Checkpoint
from tests.chaos.driver import Driver
from tests.chaos.journal import Journal
from tests.chaos.ledger import Ledger
from tests.chaos.metadata_file import MetadataFile
from tests.chaos.order import Order
from tests.chaos.outcome import Outcome
from tests.chaos.places import CUT_TOPIC, Source
from tests.chaos.play import Play
from tests.chaos.producers import Producers
from tests.chaos.script import Fault, World, on_call, script
from tests.chaos.settings import asks_python, drains
from tests.chaos.sink import Sink
from tests.chaos.spark_cluster import SparkCluster
from tests.chaos.stage import USER, Stage, several
from tests.chaos.table import Table
from tests.cluster import KafkaCluster
from tests.scenarios.listing import FileListing

_STREAM = "chaos"
_SESSION = {
    # A story looks at where each batch of the run ended.
    "spark.sql.streaming.minBatchesToRetain": "1000000",
    "spark.eventLog.enabled": "false",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for: how long the faults come, in seconds; how their gaps are stretched; and how many ids are
    written to each topic of each cluster in a second. ``on_call``: the one fault is a cluster that is down so long.
    ``sink``: queries are in Real-Time Mode, and write there. ``addresses``: queries reach these clusters by others."""

    seed: int
    seconds: float
    pace: float = 1.0
    per_second: int = 100
    on_call: bool = False
    sink: Sink | None = None
    addresses: Mapping[str, str] = field(default_factory=dict)

    @property
    def drains(self) -> bool:
        """Whether what is removed is read to its end, and shows it by a topic that is taken off at the end."""
        return drains(self.seed) and not self.on_call


def run(
    wish: Wish,
    clusters: Mapping[str, KafkaCluster],
    guarded: str,
    topics: tuple[str, ...],
    folder: Path,
    say: Callable[[str], None],
    spark: SparkCluster | None = None,
) -> Outcome:
    """Plays a run on these clusters, of which ``guarded`` has users; everything that it leaves is in ``folder``. If one
    has several brokers, its partitions lose their leaders, and a topic of it is cut off."""
    python = asks_python(wish.seed)
    service = "a service in Python" if python else "a file"
    mode = "Real-Time Mode" if wish.sink else "batches"
    say(f"SEED={wish.seed}: {wish.seconds:.0f} s of faults; {mode}; {service}; drains: {wish.drains}; logs in {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    journal, ledger = Journal(folder / "journal.txt"), Ledger()
    with Producers(journal, ledger, wish.per_second, in_transactions=not wish.on_call) as producers:
        _begin(clusters, topics, producers)
        driver = _driver(wish, folder, spark, cuts=bool(several(clusters)))
        file, connections = FileListing(driver.order.streams), _connections(clusters, guarded, wish.addresses)
        listed = MetadataFile(file, journal, _STREAM, connections, *topics)
        if several(clusters):
            listed.list(several(clusters), CUT_TOPIC)
        table, checkpoint = wish.sink or Table(driver.order.table), Checkpoint(driver.order.checkpoint)
        stage = Stage(clusters, topics, journal, ledger, producers, listed, driver, table, checkpoint, spark)
        try:
            lanes = _lanes(wish, stage, guarded)
            # On call the death lasts as long as was asked for, whenever it begins.
            seconds = wish.seconds + (lanes["death"][0].at if wish.on_call else 0)
            outcome = Play(stage, lanes, say).run(wish.seed, seconds, exam=wish.drains)
        finally:
            driver.kill()
    (folder / "outcome.txt").write_text("\n".join(outcome.lines()) + "\n")
    return outcome


def _begin(clusters: Mapping[str, KafkaCluster], topics: tuple[str, ...], producers: Producers) -> None:
    """Creates the topics, and has them written to."""
    for name, cluster in clusters.items():
        for topic in topics:
            # On one broker, so that a query reads on while another one is made to fall behind.
            cluster.create_topic(topic, replicas=[cluster.brokers[:1]] * 2)
            producers.begin(cluster, Source(name, topic, 0))
        if name == several(clusters):
            # On two of its brokers, so that the others still have a majority while one of these is away.
            unclean = {"unclean.leader.election.enable": "true"}
            cluster.create_topic(CUT_TOPIC, config=unclean, replicas=[cluster.brokers[-2:]])
            producers.begin(cluster, Source(name, CUT_TOPIC, 0))


def _lanes(wish: Wish, stage: Stage, guarded: str) -> dict[str, list[Fault]]:
    clusters, order = list(stage.clusters), stage.driver.order
    if wish.on_call:
        return on_call(wish.seed, wish.seconds, clusters)
    executors = stage.spark is not None
    world = World(clusters, stage.topics, guarded, order.python, executors, wish.drains, stage.several)
    return script(wish.seed, wish.seconds, world, wish.pace)


def _driver(wish: Wish, folder: Path, spark: SparkCluster | None, *, cuts: bool) -> Driver:
    session = {**_SESSION, **(spark.session if spark else {})}
    streams = folder / "streams.yaml"
    python = asks_python(wish.seed)
    order = Order(folder / "query", streams, _STREAM, wish.seed, python, session, wish.on_call, cuts)
    return Driver(replace(order, sink=wish.sink.options) if wish.sink else order)


def _connections(
    clusters: Mapping[str, KafkaCluster], guarded: str, addresses: Mapping[str, str]
) -> dict[str, Callable[[], Mapping[str, str]]]:
    def connection(name: str, cluster: KafkaCluster) -> Callable[[], Mapping[str, str]]:
        other = {"bootstrap.servers": addresses[name]} if name in addresses else {}
        return lambda: {**cluster.properties(USER if name == guarded else None), **other}

    return {name: connection(name, cluster) for name, cluster in clusters.items()}
