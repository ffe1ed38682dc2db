"""Keeps a checkpoint of the present version, unless one is kept already: `python -m tests.compat.keep_checkpoint`."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from dynamic_kafka import ClusterMetadata, DynamicKafkaSource
from dynamic_kafka._jar import version
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, KafkaClusters, eventually
from tests.compat.kept import KeptCheckpoint, Story
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.queries import Queries, Running
from tests.scenarios.session import start_spark

STREAM, ORDERS, OLD = "kept", "kept-orders", "kept-old"


def main() -> None:
    kept = KeptCheckpoint(version())
    if kept.folder.exists():
        print(f"{kept.folder} is there already, and stays as it is.")
        return
    with tempfile.TemporaryDirectory() as folder, KafkaClusters() as clusters:
        clusters.start("a", "b")
        spark = start_spark(Path(folder) / "spark")
        scene = Scene(spark, Path(folder), {cluster.name: cluster for cluster in clusters})
        running = scene.play()
        kept.keep(running.checkpoint, scene.story, scene.clusters)
        spark.stop()
    print(f"wrote {kept.folder}")


class Scene:
    """A query over the clusters a and b that ends with one partition that began after records that had aged out, a
    removed topic without anything left, another one that still drains, and a last batch with part of each backlog."""

    def __init__(self, spark: SparkSession, folder: Path, clusters: Mapping[str, KafkaCluster]) -> None:
        self.clusters = clusters
        self.story = Story(topics={"a": {ORDERS: 2, OLD: 1}, "b": {ORDERS: 1}})
        self._queries = Queries(folder)
        self._listing = ProgramListing()
        source = DynamicKafkaSource.builder(spark).metadata_service(self._listing.service).stream_ids(STREAM)
        self._rows = source.starting_offsets("earliest").max_offsets_per_trigger(20).load()
        self._few = source.max_offsets_per_trigger(6).load()

    def play(self) -> Running:
        a, b = self.clusters["a"], self.clusters["b"]
        self.story.create(self.clusters)
        self._write("a", ORDERS, 0, 6)
        self._write("a", ORDERS, 1, 3)
        self._write("a", OLD, 0, 3)
        self._write("b", ORDERS, 0, 4)
        a.delete_records(ORDERS, {0: 2})
        self.story.deleted.append(("a", ORDERS, 0, 2))
        running = self._batch(0, None, {"a": on(a, ORDERS, OLD), "b": on(b, ORDERS)})
        self._write("a", ORDERS, 0, 5)
        self._write("a", ORDERS, 1, 2)
        self._write("b", ORDERS, 0, 6)
        running = self._batch(1, running, {"a": on(a, ORDERS), "b": on(b)})
        self._check(running)
        for number, rows in running.batches.items():
            self.story.read[str(number)] = sorted(bytes(row["value"]).decode() for row in rows)
        return running

    def _write(self, cluster: str, topic: str, partition: int, count: int) -> None:
        before = sum(len(values) for *where, values in self.story.records if where == [cluster, topic, partition])
        values = [f"{cluster} {topic} {partition} {number}" for number in range(before, before + count)]
        Story(topics={}, records=[(cluster, topic, partition, values)]).write(self.clusters)
        self.story.records.append((cluster, topic, partition, values))

    def _batch(self, number: int, after: Running | None, clusters: Mapping[str, ClusterMetadata]) -> Running:
        """Runs one batch alone."""
        self._listing.publish(STREAM, clusters)
        rows = self._few if after else self._rows
        running = self._queries.start(rows, after=after, processingTime="1 hour")
        eventually(
            f"batch {number} is committed",
            lambda: running.logged("commits"),
            until=lambda seen: seen[-1:] == [number],
            within=60,
        )
        running.stop()
        return running

    @staticmethod
    def _check(running: Running) -> None:
        clusters = running.offset()["clusters"]
        orders, old = clusters["a"]["topics"][ORDERS], clusters["a"]["topics"][OLD]
        drains = clusters["b"]["topics"][ORDERS]
        assert orders["partitions"]["0"][0] == 2, "it began after what had aged out"
        assert old["drain"] == {}, "nothing is left of it"
        assert drains["partitions"]["0"][1] < drains["drain"]["0"], "it drains"


if __name__ == "__main__":
    main()
