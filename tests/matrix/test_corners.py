"""The main promises, kept by the wheel on each corner of the table of versions."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.chaos.spark_cluster import SparkCluster
from tests.cluster import KafkaClusters, ServerSettings
from tests.cluster.versions import OLDEST
from tests.matrix.corners import CORNERS, NEEDED, SPARKS, TOO_OLD, AbsentError, Corner, environment, spark_folder
from tests.readme import ROOT, printed_by

Name = Callable[[str], str]
Listings = dict[str, object]

PROGRAM = ROOT / "tests" / "matrix" / "smoke_program.py"
IN_FIRST, IN_SECOND = 30, 20
PATIENCE = 150
# Why there is no Real-Time Mode.
WITHOUT_REAL_TIME = {"4.0.5": "no such trigger", "4.1.4": "no such trigger"}


@dataclass(frozen=True, slots=True)
class Session:
    """Where the session runs, and whether it had the jar from the start."""

    master: str = "local[2]"
    made: str = "configured"


@pytest.mark.matrix
@pytest.mark.parametrize("corner", CORNERS, ids=str)
def test_the_main_promises_hold_on_this_corner(
    corner: Corner, wheel: Path, clusters: KafkaClusters, fresh_name: Name, tmp_path: Path
) -> None:
    try_promises(corner, Session(), wheel, filled(clusters, fresh_name("orders")), tmp_path)


OLD = """
from dynamic_kafka import DynamicKafkaSource, SingleClusterMetadataService, configure_spark
from dynamic_kafka.errors import VersionMismatchError
from pyspark.sql import SparkSession

spark = configure_spark(SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")).getOrCreate()
service = SingleClusterMetadataService("a", {"bootstrap.servers": "127.0.0.1:1"})
try:
    DynamicKafkaSource.builder(spark).metadata_service(service).stream_ids("orders").load()
except VersionMismatchError as refused:
    print(refused)
try:
    spark.readStream.format("dynamic-kafka").load()
except Exception as refused:
    print(refused)
"""


@pytest.mark.matrix
def test_a_spark_that_is_too_old_is_refused_by_its_name(wheel: Path, tmp_path: Path) -> None:
    python, variables = environment(Corner(TOO_OLD, *NEEDED), wheel)
    printed = printed_by([str(python), "-c", OLD], tmp_path, variables, within=PATIENCE)
    assert printed.count(f"needs Spark 4.0 or newer, and this is Spark {TOO_OLD}") == 2, printed


@pytest.mark.matrix
@pytest.mark.parametrize("spark", SPARKS)
@pytest.mark.parametrize("made", ["configured", "running"])
def test_they_hold_in_client_mode_on_a_standalone_cluster(
    made: str, spark: str, wheel: Path, clusters: KafkaClusters, fresh_name: Name, tmp_path: Path
) -> None:
    listings = filled(clusters, fresh_name("orders"))
    with SparkCluster(tmp_path / "spark", workers=2, home=spark_folder(spark) / "pyspark") as cluster:
        try_promises(Corner(spark, *NEEDED), Session(cluster.master, made), wheel, listings, tmp_path)


@pytest.mark.matrix
@pytest.mark.parametrize("brokers", OLDEST)
def test_they_hold_on_the_oldest_brokers(
    brokers: str, wheel: Path, own_clusters: KafkaClusters, fresh_name: Name, tmp_path: Path
) -> None:
    own_clusters.start("a", "b", settings=ServerSettings(version=brokers))
    assert own_clusters.get("a").versions() == {brokers}
    listings = filled(own_clusters, fresh_name("orders"))
    try_promises(Corner("4.2.1", *NEEDED), Session(), wheel, listings, tmp_path)


def try_promises(corner: Corner, session: Session, wheel: Path, listings: Listings, folder: Path) -> None:
    """Runs the program on this corner, and looks at all that it read."""
    try:
        python, variables = environment(corner, wheel)
    except AbsentError as absent:
        if (corner.java, corner.python) == NEEDED:
            raise
        # Few machines have every Java and Python. What each must have is never skipped.
        pytest.skip(f"{corner}: {absent}")
    (folder / "listings.json").write_text(json.dumps(listings))
    command = [str(python), str(PROGRAM), str(folder), "listings.json", session.master, session.made]
    found = json.loads(printed_by(command, folder, variables, within=PATIENCE).splitlines()[-1])
    everything = sorted([f"a{n}" for n in range(IN_FIRST)] + [f"b{n}" for n in range(IN_SECOND)])
    read = ("followed", "restarted", "batch", "python service", "into parquet")
    assert {part: found[part] for part in read} == dict.fromkeys(read, everything)
    assert found["counted"] == {"A": IN_FIRST, "B": IN_SECOND}
    real_time = found["in real time"]
    if corner.spark in WITHOUT_REAL_TIME:
        assert WITHOUT_REAL_TIME[corner.spark] in real_time
    else:
        assert real_time == everything
    assert found["versions"] == [corner.spark, corner.java, corner.python]


def filled(clusters: KafkaClusters, topic: str) -> Listings:
    """Records on two clusters, and the texts that the program publishes one after the other."""
    entries = {}
    for name, count in (("a", IN_FIRST), ("b", IN_SECOND)):
        cluster = clusters.get(name)
        cluster.create_topic(topic, partitions=2)
        cluster.produce(topic, [(f"k{n}", f"{name}{n}") for n in range(count)])
        entries[name] = {"clusterId": name, "bootstrapServers": cluster.bootstrap_servers, "topics": [topic]}

    def listing(*names: str) -> str:
        listed = [entries[name] for name in names]
        return yaml.safe_dump([{"streamId": "orders", "clusterMetadataList": listed}])

    reached = {name: {"bootstrap": it["bootstrapServers"], "topics": it["topics"]} for name, it in entries.items()}
    sizes = {"one": IN_FIRST, "both": IN_FIRST + IN_SECOND}
    return {"one": listing("a"), "both": listing("a", "b"), "other": listing("b"), "clusters": reached, "sizes": sizes}
