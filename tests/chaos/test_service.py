"""The service in Python answers with what the file says, or is in trouble."""

from pathlib import Path

import pytest
import yaml
from dynamic_kafka import ClusterMetadata, KafkaStream

from tests.chaos.service import FileReader
from tests.scenarios.listing import FileListing

CLUSTERS = {
    "a": ClusterMetadata(["t"], {"bootstrap.servers": "one:1", "client.id": "me"}, starting_offsets="earliest"),
    "b": ClusterMetadata([], {"bootstrap.servers": "two:2"}, continues="a", paused=True),
    "c": ClusterMetadata(["t"], {"bootstrap.servers": "two:2"}, continues=["a", "b"], paused=["t"]),
}


@pytest.fixture
def service(tmp_path: Path) -> FileReader:
    listing = FileListing(tmp_path / "streams.yaml")
    listing.publish_all({"s": CLUSTERS}, inactive=["b"])
    return FileReader(listing.path, tmp_path / "trouble")


def test_it_answers_as_the_file_says(service: FileReader) -> None:
    assert service.describe_streams(["s", "other"])["s"].clusters == CLUSTERS
    assert [service.is_cluster_active(cluster) for cluster in ("a", "b", "d")] == [True, False, False]


def test_a_file_that_is_cut_anywhere_is_no_answer(service: FileReader, tmp_path: Path) -> None:
    file = tmp_path / "streams.yaml"
    text = file.read_text()
    for length in range(text.index("streamId")):
        file.write_text(text[:length])
        with pytest.raises((TypeError, KeyError, AttributeError, yaml.YAMLError)):
            service.describe_streams(["s"])


def test_trouble_raises_answers_nonsense_and_ends_with_its_file(service: FileReader, tmp_path: Path) -> None:
    trouble = tmp_path / "trouble"
    trouble.write_text("raises")
    with pytest.raises(ConnectionError):
        service.describe_streams(["s"])
    trouble.write_text("wrong")
    assert not isinstance(service.describe_streams(["s"])["s"], KafkaStream)
    trouble.unlink()
    assert service.describe_streams(["s"])["s"].clusters == CLUSTERS


def test_a_service_that_hangs_is_freed_by_its_close(service: FileReader, tmp_path: Path) -> None:
    (tmp_path / "trouble").write_text("hangs")
    service.close()
    assert service.describe_streams(["s"])["s"].clusters == CLUSTERS
