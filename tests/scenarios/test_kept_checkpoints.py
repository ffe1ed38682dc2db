"""A checkpoint that a released version wrote serves this version: the files are in `tests/compat`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from dynamic_kafka import DynamicKafkaSourceBuilder
from dynamic_kafka._jar import version
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, KafkaClusters
from tests.compat.keep_checkpoint import Scene
from tests.compat.kept import KeptCheckpoint, Story, kept_checkpoints
from tests.scenarios.conftest import Source
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running

STREAM, ORDERS, OLD = "kept", "kept-orders", "kept-old"


@pytest.fixture(scope="module", params=kept_checkpoints(), ids=lambda kept: kept.version)
def kept(request: pytest.FixtureRequest, started_clusters: KafkaClusters) -> Iterator[KeptCheckpoint]:
    """A kept checkpoint, with the topics it was written over."""
    started_clusters.heal()
    found: KeptCheckpoint = request.param
    by_name = {cluster.name: cluster for cluster in started_clusters}
    story = found.story()
    story.create(by_name)
    story.write(by_name)
    yield found
    story.remove(by_name)


@pytest.fixture
def by_name(a: KafkaCluster, b: KafkaCluster) -> Mapping[str, KafkaCluster]:
    return {"a": a, "b": b}


@pytest.fixture
def story(kept: KeptCheckpoint) -> Story:
    return kept.story()


@pytest.fixture
def ended(kept: KeptCheckpoint, by_name: Mapping[str, KafkaCluster], tmp_path: Path) -> Running:
    """The query that wrote the checkpoint, as it ended."""
    kept.restore(tmp_path / "kept", by_name)
    return Running("kept", tmp_path / "kept")


@pytest.fixture
def builder(source: Source, program: ProgramListing) -> DynamicKafkaSourceBuilder:
    # What was removed then was removed long ago, on the day when this runs.
    return source(program.service, STREAM).removed_cluster_retention("36500d")


def test_a_query_goes_on_exactly_where_a_kept_checkpoint_ends(
    story: Story,
    ended: Running,
    builder: DynamicKafkaSourceBuilder,
    a: KafkaCluster,
    b: KafkaCluster,
    program: ProgramListing,
    queries: Queries,
) -> None:
    write(b, ORDERS, "written after the drain's target")
    program.publish(STREAM, {"a": on(a, ORDERS), "b": on(b)})
    running = queries.start(builder.load(), after=ended)
    expected = story.unread()
    running.await_values(expected)
    # A topic that was removed when the checkpoint was kept resumes where it was.
    expected += write(a, OLD, "read once it is listed again") + write(a, ORDERS, "new", partition=1)
    program.publish(STREAM, {"a": on(a, ORDERS, OLD), "b": on(b)})
    running.await_values(expected)


def test_the_last_batch_of_a_kept_checkpoint_is_read_again_exactly_if_it_was_uncommitted(
    story: Story,
    ended: Running,
    builder: DynamicKafkaSourceBuilder,
    a: KafkaCluster,
    b: KafkaCluster,
    program: ProgramListing,
    queries: Queries,
) -> None:
    last = max(ended.logged("commits"))
    (ended.checkpoint / "commits" / str(last)).unlink()
    program.publish(STREAM, {"a": on(a), "b": on(b)})
    running = queries.start(builder.load(), after=ended, once=True)
    running.await_end()
    assert sorted(running.values()) == story.read[str(last)]
    assert list(running.batches) == [last]


@pytest.mark.long
def test_what_is_kept_of_this_version_has_the_form_that_it_writes(
    spark: SparkSession, own_clusters: KafkaClusters, tmp_path: Path
) -> None:
    own_clusters.start("a", "b")
    written = Scene(spark, tmp_path, {cluster.name: cluster for cluster in own_clusters}).play().checkpoint
    kept = KeptCheckpoint(version()).folder
    # Only that of a version that is released never changes.
    assert forms(kept) == forms(written), f"remove {kept}, and run `make compat`"


def forms(checkpoint: Path) -> dict[str, object]:
    """What stands in each file of Spark's logs, but for numbers and ids."""
    files = [file for log in ("offsets", "commits") for file in (checkpoint / log).glob("[0-9]*")]
    return {f"{file.parent.name}/{file.name}": form(json.loads(file.read_text().splitlines()[-1])) for file in files}


def form(value: object) -> object:
    if isinstance(value, dict):
        return {key: form(one) for key, one in value.items()}
    if isinstance(value, list):
        return [form(one) for one in value]
    return type(value).__name__
