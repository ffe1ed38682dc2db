"""Over Spark Connect: when errors of options come, with a session that only counts."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.pipelines.graph_element_registry import graph_element_registration_context

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService


class Counted:
    """A session, its reader and a DataFrame in one. Counts the analyses."""

    def __init__(self) -> None:
        self.analyses = 0

    @property
    def read(self) -> Counted:
        return self

    readStream = read  # noqa: N815 - Spark's name

    def format(self, name: str) -> Counted:
        return self

    def options(self, **options: str) -> Counted:
        return self

    def load(self) -> Counted:
        return self

    @property
    def schema(self) -> None:
        self.analyses += 1


@pytest.fixture
def remote() -> Any:
    kind = type("SparkSession", (Counted,), {"__module__": "pyspark.sql.connect.session"})
    return kind()


def load(spark: Any) -> None:
    builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService("streams.yaml"))
    builder.stream_ids("orders").load()
    builder.bounded().load()


def test_load_analyses_so_that_errors_come_from_it(remote: Any) -> None:
    load(remote)
    assert remote.analyses == 2


def test_the_definition_of_a_pipeline_analyses_nothing_since_spark_refuses_it(remote: Any) -> None:
    registry: Any = object()
    with graph_element_registration_context(registry):
        load(remote)
    assert remote.analyses == 0
