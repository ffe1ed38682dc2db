"""Streams from a web server, with the one of `examples/http-metadata`."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from dynamic_kafka import DynamicKafkaSourceBuilder, HttpMetadataService

from tests.cluster import KafkaCluster, eventually
from tests.examples.metadata_server import TOKEN, MetadataServer
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import SOON, Queries, Running
from tests.scenarios.session_log import SessionLog


class Served:
    """A stream that a web server lists, and what is written into it."""

    def __init__(self, server: MetadataServer, file: FileListing, stream: str, topic: str, source: Source) -> None:
        self.server, self.file, self.stream, self.topic = server, file, stream, topic
        self.expected: list[str] = []
        self._source = source

    def read(self) -> DynamicKafkaSourceBuilder:
        return self._source(HttpMetadataService(self.server.url, token_file=self.server.token_file), self.stream)

    def publish(self, **clusters: KafkaCluster) -> None:
        self.file.publish(self.stream, {name: on(cluster, self.topic) for name, cluster in clusters.items()})

    def write(self, cluster: KafkaCluster, value: str) -> None:
        self.expected += write(cluster, self.topic, value)


@pytest.fixture
def served(
    a: KafkaCluster, b: KafkaCluster, file: FileListing, source: Source, topic: str, fresh_name: Name, tmp_path: Path
) -> Iterator[Served]:
    with MetadataServer(file.path, tmp_path / "server") as server:
        yield Served(server, file, fresh_name("served"), topic, source)


def follows_a_change(served: Served, running: Running, a: KafkaCluster, b: KafkaCluster) -> None:
    served.write(a, "a1")
    running.await_values(served.expected)
    served.server.await_query(running.query.id, applied=1, verdict="current", source="0")
    served.write(b, "b1")
    served.publish(a=a, b=b)
    running.await_values(served.expected)
    served.server.await_query(running.query.id, applied=2, verdict="current")


def refuses_a_bad_push(served: Served, running: Running, b: KafkaCluster) -> None:
    good = served.file.path.read_text()
    listed = yaml.safe_load(good)
    address = listed[0]["clusterMetadataList"][0]["bootstrapServers"]
    del listed[0]["clusterMetadataList"][0]["topics"]
    served.file.write(yaml.safe_dump(listed))
    refused = served.server.await_query(running.query.id, applied=2, verdict="refused", refused_version=3)
    assert "clusterMetadataList[0].topics: it is missing" in refused["refused_reason"]
    assert address not in str(refused)
    assert "version 3" in served.server.ask("/")[1]
    served.write(b, "b2")
    running.await_values(served.expected)
    served.file.write(good)
    served.server.await_query(running.query.id, applied=4, verdict="current")


def refuses_a_stale_instance(served: Served, running: Running, b: KafkaCluster) -> None:
    served.server.await_query(running.query.id, applied=4, verdict="refused", refused_version=1)
    served.write(b, "b3")
    running.await_values(served.expected)
    running.stop_between_batches()
    served.server.await_query(running.query.id, verdict="stopped")


def test_a_query_follows_a_web_server_which_sees_what_it_runs_and_what_it_refuses(
    served: Served, a: KafkaCluster, b: KafkaCluster, queries: Queries, tmp_path: Path, log: SessionLog
) -> None:
    served.publish(a=a)
    running = queries.start(served.read().load())
    served.server.await_query(running.query.id, applied=1)
    stale = shutil.copytree(served.server.folder / "state", tmp_path / "stale")
    old = shutil.copy(served.file.path, tmp_path / "old.yaml")
    follows_a_change(served, running, a, b)
    refuses_a_bad_push(served, running, b)

    served.server.open(streams=Path(old), state=Path(stale))
    refuses_a_stale_instance(served, running, b)
    failure = queries.start(served.read().load(), after=running).await_failure()
    assert "version 1 of the streams, though it had version 4 before" in str(failure)

    served.server.open()
    served.write(a, "a2")
    again = queries.start(served.read().load(), after=running)
    again.await_values(served.expected)
    served.server.await_query(again.query.id, applied=4, verdict="current")
    again.stop()
    assert log.lines(TOKEN) == []


def test_a_web_server_knows_a_query_by_its_name_and_each_of_its_sources(
    served: Served, a: KafkaCluster, tmp_path: Path
) -> None:
    served.publish(a=a)
    both = served.read().load().union(served.read().load()).writeStream.queryName(served.stream).format("noop")
    query = both.option("checkpointLocation", str(tmp_path / "named")).start()

    def known() -> list[tuple[str, str, int]]:
        said = served.server.queries()
        return sorted((one["source"], one["name"], one["applied"]) for one in said if one["id"] == query.id)

    eventually("both sources are known", known, until=lambda seen: len(seen) == 2, within=SOON)
    assert known() == [("0", served.stream, 1), ("1", served.stream, 1)]
    query.stop()
