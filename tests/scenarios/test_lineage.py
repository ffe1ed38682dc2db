"""What OpenLineage's listener for Spark reports of a query: the topics that it reads, as inputs and not as outputs."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import KafkaCluster
from tests.packages import jars_of
from tests.scenarios.session import STORE_PASSWORD
from tests.scenarios.spark_programs import SmallStream, printed

LISTENER = ("io.openlineage:openlineage-spark_2.13:1.53.0", "openlineage-spark_2.13-")

Datasets = set[tuple[str, str]]


@dataclass(frozen=True)
class Reported:
    """What the finished runs of one kind read and wrote: address and name of each dataset, and the ids of clusters."""

    inputs: Datasets
    outputs: Datasets
    sources: set[str]


def finished(file: Path, kind: str) -> Reported:
    events: list[dict[str, Any]] = [json.loads(line) for line in file.read_text().splitlines()]
    runs = [one for one in events if one["eventType"] == "COMPLETE"]
    runs = [one for one in runs if one["job"]["facets"]["jobType"]["processingType"] == kind]
    assert runs, f"no run of the kind {kind}"
    inputs = [data for one in runs for data in one["inputs"]]
    outputs = [data for one in runs for data in one["outputs"]]
    return Reported(
        names(inputs),
        names(outputs),
        {data["facets"]["dataSource"]["name"] for data in inputs},
    )


def names(datasets: list[dict[str, Any]]) -> Datasets:
    return {(one["namespace"], one["name"]) for one in datasets}


def events_of(small: SmallStream, folder: Path, where: str) -> Path:
    """The file with the events of a stream and of a batch read. ``where`` is as in `lineage_program`."""
    (listener,) = jars_of(*LISTENER)
    printed("lineage_program", small.streams, small.stream_id, folder, listener, where)
    return folder / "lineage.json"


@pytest.mark.matrix
@pytest.mark.parametrize("where", ["neither", "source"])
def test_inputs_are_the_topics_of_each_cluster_and_no_output_is_one_of_them(
    small: SmallStream, a: KafkaCluster, b: KafkaCluster, tmp_path: Path, where: str
) -> None:
    file = events_of(small, tmp_path, where)
    read = {(f"kafka://{cluster.bootstrap_servers}", small.topic) for cluster in (a, b)}
    plans = (tmp_path / "plans.txt").read_text()
    assert plans.count(f"dynamic-kafka streams {small.stream_id}") == 3, (
        "in the plans of both, and in the progress of the stream"
    )
    assert STORE_PASSWORD not in file.read_text() + plans
    for kind in ("STREAMING", "BATCH"):
        found = finished(file, kind)
        assert (found.inputs, found.sources) == (read, {"a", "b"}), kind
        assert not found.outputs & read, kind


@pytest.mark.matrix
def test_a_listener_that_does_not_see_the_jar_goes_on_without_the_topics(small: SmallStream, tmp_path: Path) -> None:
    found = finished(events_of(small, tmp_path, "listener"), "BATCH")
    assert found.inputs == set()
    assert found.outputs == {("file", str(tmp_path / "batch"))}
