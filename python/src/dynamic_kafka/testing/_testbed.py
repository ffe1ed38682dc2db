"""What a user's test has: two clusters, streams on them, and metadata that says where these are."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from dynamic_kafka._metadata import ClusterMetadata, KafkaStream
from dynamic_kafka._services import InMemoryMetadataService
from dynamic_kafka.testing._cluster import KafkaCluster
from dynamic_kafka.testing._clusters import Clusters
from dynamic_kafka.testing._listing import entries, replace_file
from dynamic_kafka.testing._records import Bytes, Record, as_records

CLUSTERS = ("eu-1", "eu-2")


class KafkaTestbed:
    """Two real Kafka clusters, `eu-1` and `eu-2`, and the streams on them, which a test moves while a query reads.

    Ask for it by the pytest fixture `kafka_testbed`. The clusters are started once and shared by all tests; each test
    begins with both up, without topics and without streams. A stream's topic has the name of the stream.

        >>> kafka_testbed.create_stream("orders", on="eu-1")
        >>> kafka_testbed.write("orders", ["1", "2"])
        >>> kafka_testbed.move("orders", to="eu-2")
        >>> kafka_testbed.write("orders", ["3"])
        >>> kafka_testbed.written("orders")
        ['1', '2', '3']
    """

    service: InMemoryMetadataService
    """Says where the streams are. Give it to a query."""
    file: Path
    """A file for `YamlFileMetadataService` that says the same."""

    def __init__(self, clusters: Clusters[KafkaCluster], file: Path) -> None:
        self._clusters = clusters
        self._partitions: dict[str, int] = {}
        self._home: dict[str, str] = {}
        self._written: dict[str, list[str]] = {}
        self.service = InMemoryMetadataService()
        self.file = file
        self._write_file()

    def cluster(self, cluster_id: str) -> KafkaCluster:
        """A cluster by its id. Raises `ValueError` for an id that is not there."""
        if cluster_id not in CLUSTERS:
            raise ValueError(f"There is no cluster {cluster_id!r}. There are {' and '.join(CLUSTERS)}.")
        return self._clusters.get(cluster_id)

    def create_stream(self, stream_id: str, *, on: str = "eu-1", partitions: int = 1) -> None:
        """Creates an empty topic on a cluster, and lists it as a stream. Raises `ValueError` if the stream is there."""
        if stream_id in self._home:
            raise ValueError(f"Stream {stream_id!r} is there already, on {self._home[stream_id]}.")
        self._partitions[stream_id] = partitions
        self._written[stream_id] = []
        self._put(stream_id, on)

    def write(self, stream_id: str, records: Iterable[str | tuple[Bytes, Bytes] | Record]) -> None:
        """Writes records to the cluster that the stream is on, each once. Returns when all are stored.

        A record is a value alone, a key with a value, or a `Record`. Waits up to 60 seconds for a cluster that is down.
        """
        if isinstance(records, str):
            raise TypeError(f"The records are a list of texts, not a text: [{records!r}].")
        home = self.cluster(self._home_of(stream_id))
        wanted = [Record(None, record) if isinstance(record, str) else record for record in records]
        made = list(as_records(wanted))
        home.produce(stream_id, made)
        self._written[stream_id] += [_text(record.value) for record in made]

    def written(self, stream_id: str) -> list[str]:
        """The values of all records of the stream so far, as text, in the order of writing, on whichever cluster."""
        self._home_of(stream_id)
        return list(self._written[stream_id])

    def move(self, stream_id: str, *, to: str) -> None:
        """Moves a stream to another cluster, as its owner would: first its writers, then its entry in the metadata.

        The topic is created there if it is not there yet. The former cluster stays listed without topics, so a query
        that has begun reads it to its end; await its rows before you move. Raises `ValueError` if the stream is there
        already.
        """
        if self._home_of(stream_id) == to:
            raise ValueError(f"Stream {stream_id!r} is on {to} already.")
        self._put(stream_id, to)

    def publish(self, *streams: KafkaStream) -> None:
        """Lists streams in place of those with the same ids: for whatever `move` does not do."""
        for stream in streams:
            self.service.put(stream)
        self._write_file()

    def stop_cluster(self, cluster_id: str) -> None:
        """Shuts a cluster down. Its data stays."""
        self.cluster(cluster_id).stop()

    def start_cluster(self, cluster_id: str) -> None:
        """Starts a cluster again, on its data and at its address. Returns when it answers."""
        self.cluster(cluster_id).start()

    def _put(self, stream_id: str, home: str) -> None:
        cluster = self.cluster(home)
        if stream_id not in cluster.topics():
            cluster.create_topic(stream_id, self._partitions[stream_id])
        self._home[stream_id] = home
        listed = self.service.describe_streams([stream_id]).get(stream_id)
        former = {name: self._metadata(name) for name in (listed.clusters if listed else ())}
        self.publish(KafkaStream(stream_id, {**former, home: self._metadata(home, stream_id)}))

    def _metadata(self, cluster_id: str, *topics: str) -> ClusterMetadata:
        return ClusterMetadata(topics, bootstrap_servers=self.cluster(cluster_id).bootstrap_servers)

    def _home_of(self, stream_id: str) -> str:
        if stream_id not in self._home:
            raise ValueError(f"There is no stream {stream_id!r}. Create it by create_stream.")
        return self._home[stream_id]

    def _write_file(self) -> None:
        replace_file(self.file, json.dumps(entries(self.service.all_streams()), indent=1))


def _text(value: Bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value or ""
