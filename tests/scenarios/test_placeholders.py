"""A placeholder that can't be resolved concerns its own cluster alone."""

from pathlib import Path

import pytest
from dynamic_kafka import ClusterMetadata, find_error
from dynamic_kafka.errors import AuthenticationFailedError

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import write
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog


def needing(path: Path, cluster: KafkaCluster, topic: str) -> ClusterMetadata:
    """A topic on a cluster with a property whose value is in a file."""
    return ClusterMetadata([topic], {**cluster.properties(), "client.rack": f"${{file:{path}}}"})


@pytest.fixture
def missing(tmp_path: Path) -> Path:
    """A file that is not there."""
    return tmp_path / "rack"


def test_a_file_that_disappears_later_stops_neither_its_cluster_nor_a_change_of_the_others(
    a: KafkaCluster, b: KafkaCluster, topic: str, missing: Path, scene: Scene, log: SessionLog, fresh_name: Name
) -> None:
    more = fresh_name("more")
    a.create_topic(more)
    missing.write_text("rack-1")
    scene.publish("orders", {"a": needing(missing, a, topic)})
    running = scene.start(scene.read("orders").load())
    expected = write(a, topic, "a1")
    running.await_values(expected)
    missing.unlink()
    log.await_line(f"AUTHENTICATION_FAILED.*{missing}.*Its last value stays")
    both = ClusterMetadata([topic, more], needing(missing, a, topic).properties)
    scene.publish("orders", {"a": both, "b": on(b, topic)})
    expected += write(a, topic, "a2") + write(a, more, "a3") + write(b, topic, "b1")
    running.await_values(expected)
    assert running.metrics()["metadataFailures"] == "0"
    missing.write_text("rack-1")
    log.await_line(f"{missing}.* is resolved again")
    running.await_values(expected + write(a, topic, "a4"))


@pytest.mark.parametrize("batch", [False, True], ids=["stream", "batch"])
def test_under_fail_the_error_names_the_placeholder_the_cluster_and_the_line(
    batch: bool, a: KafkaCluster, b: KafkaCluster, topic: str, missing: Path, file: FileListing, filed: Scene
) -> None:
    filed.publish("orders", {"a": on(a, topic), "b": needing(missing, b, topic)})
    read = filed.read("orders")
    if batch:
        with pytest.raises(Exception, match="DYNAMIC_KAFKA_AUTHENTICATION_FAILED") as failed:
            read.bounded().load().collect()
        error = find_error(failed.value)
    else:
        error = filed.start(read.load()).await_failure()
    assert isinstance(error, AuthenticationFailedError)
    assert f"${{file:{missing}}}" in str(error)
    lines = file.path.read_text().splitlines()
    assert (error.cluster, error.stream, error.file) == ("b", "orders", str(file.path))
    assert "client.rack" in lines[(error.line or 0) - 1]
