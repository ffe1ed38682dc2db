"""What every test of a way in has."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster import KafkaClusters
from tests.scenarios.listing import FileListing
from tests.scenarios.spark_programs import SmallStream, small_stream


@pytest.fixture
def small(clusters: KafkaClusters, fresh_name: Callable[[str], str], tmp_path: Path) -> SmallStream:
    return small_stream(clusters.get("a"), clusters.get("b"), FileListing(tmp_path / "streams.yaml"), fresh_name)
