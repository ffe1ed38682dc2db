"""What the metadata file of a run lists while a cluster is renamed."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.chaos.journal import Journal
from tests.chaos.metadata_file import MetadataFile
from tests.scenarios.listing import FileListing

Lines = dict[str, str | None]


@pytest.fixture
def file(tmp_path: Path) -> MetadataFile:
    journal = Journal(tmp_path / "journal.txt")
    connected = {"c": lambda: {"bootstrap.servers": "127.0.0.1:9092"}}
    return MetadataFile(FileListing(tmp_path / "streams.yaml"), journal, "chaos", connected, "ids")


@pytest.fixture
def lines(file: MetadataFile, tmp_path: Path) -> Callable[[], Lines]:
    """By the ids that are listed, what each says that it continues."""

    def read() -> Lines:
        (stream,) = yaml.safe_load((tmp_path / "streams.yaml").read_text())
        return {one["clusterId"]: one.get("continues") for one in stream["clusterMetadataList"]}

    return read


def test_a_cluster_that_gets_its_name_back_needs_no_line(file: MetadataFile, lines: Callable[[], Lines]) -> None:
    file.list_under("c", "c", "c renamed")
    assert lines() == {"c": None, "c renamed": "c"}
    file.list_under("c", "c renamed")
    assert lines() == {"c renamed": "c"}
    file.list_under("c", "c")
    assert lines() == {"c": None}


def test_once_the_line_was_taken_away_the_next_id_says_what_it_continues(
    file: MetadataFile, lines: Callable[[], Lines]
) -> None:
    file.list_under("c", "c renamed")
    file.drop_line("c")
    assert lines() == {"c renamed": None}
    file.list_under("c", "c renamed", "c")
    assert lines() == {"c renamed": None, "c": "c renamed"}
    file.list_under("c", "c")
    assert lines() == {"c": "c renamed"}
    file.list_under("c", "c renamed")
    assert lines() == {"c renamed": None}
