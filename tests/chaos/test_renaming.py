"""What the metadata file says while a cluster gets its other id, and while it is paused."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.chaos.journal import Journal
from tests.chaos.metadata_file import MetadataFile
from tests.scenarios.listing import FileListing


@pytest.fixture
def file(tmp_path: Path) -> MetadataFile:
    properties = {name: lambda: {"bootstrap.servers": "one:1"} for name in ("a", "b")}
    return MetadataFile(
        FileListing(tmp_path / "streams.yaml"), Journal(tmp_path / "journal"), "s", properties, "t", "u"
    )


def listed(folder: Path, field: str) -> dict[str, Any]:
    """By id that is listed, what is said of it."""
    (stream,) = yaml.safe_load((folder / "streams.yaml").read_text())
    return {entry["clusterId"]: entry.get(field) for entry in stream["clusterMetadataList"]}


def test_the_other_id_continues_the_first_one_until_the_line_is_dropped(file: MetadataFile, tmp_path: Path) -> None:
    file.list_under("a", "a", "a renamed")
    assert listed(tmp_path, "continues") == {"a": None, "a renamed": "a", "b": None}
    assert file.id_of("a") == "a renamed"
    file.list_under("a", "a renamed")
    assert listed(tmp_path, "continues") == {"a renamed": "a", "b": None}
    file.drop_line("a")
    assert listed(tmp_path, "continues") == {"a renamed": None, "b": None}


def test_on_the_way_back_it_is_the_same_line_where_both_are_listed(file: MetadataFile, tmp_path: Path) -> None:
    file.list_under("a", "a renamed")
    file.drop_line("a")
    file.list_under("a", "a renamed", "a")
    assert listed(tmp_path, "continues") == {"a renamed": "a", "a": None, "b": None}
    file.list_under("a", "a")
    assert listed(tmp_path, "continues") == {"a": None, "b": None}


def test_a_pause_is_that_of_its_cluster_under_both_ids_and_ends_with_its_block(
    file: MetadataFile, tmp_path: Path
) -> None:
    file.list_under("a", "a", "a renamed")
    with file.paused("a", "t"), file.without_topics("a", "t"):
        assert listed(tmp_path, "paused") == {"a": ["t"], "a renamed": ["t"], "b": None}
        with file.paused("a"):
            assert listed(tmp_path, "paused") == {"a": True, "a renamed": True, "b": None}
    assert listed(tmp_path, "paused") == {"a": None, "a renamed": None, "b": None}
