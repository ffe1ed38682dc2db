"""The fixtures of `dynamic_kafka.testing`. pytest loads this in each run, and imports the rest when one is used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from dynamic_kafka.testing import KafkaCluster, KafkaTestbed
    from dynamic_kafka.testing._clusters import Clusters


@pytest.fixture(scope="session")
def _kafka_clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clusters[KafkaCluster]]:
    """Those that all tests of a run share, each with its log in ``<cluster>/broker.log``."""
    from dynamic_kafka.errors import NoJavaError

    try:
        from dynamic_kafka.testing import SetupError, _start
    except ModuleNotFoundError as lacking:
        pytest.fail(str(lacking), pytrace=False)
    try:
        clusters = _start.two_clusters(tmp_path_factory.mktemp("kafka"))
    except (SetupError, NoJavaError) as problem:
        pytest.fail(f"Kafka can't be started. {problem}", pytrace=False)
    with clusters:
        yield clusters


@pytest.fixture
def kafka_testbed(_kafka_clusters: Clusters[KafkaCluster], tmp_path: Path) -> KafkaTestbed:
    """Two real Kafka clusters, `eu-1` and `eu-2`, without topics; streams on them, and metadata that says where."""
    from dynamic_kafka.testing import _start

    return _start.testbed(_kafka_clusters, tmp_path / "streams.yaml")
