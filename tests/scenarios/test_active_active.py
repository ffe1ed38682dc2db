"""The recipe "Active-active" of `docs/recipes.md`: the same events on two clusters, one of which dies and returns."""

import json
import re
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from pyspark.sql import DataFrame

from tests.cluster import KafkaCluster, Record, eventually
from tests.readme import ROOT
from tests.recipes import block, ran
from tests.scenarios.listing import on
from tests.scenarios.producing import numbered
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene

# Midnight, of a day long ago: an event a minute, where the recipe waits for ten.
START = datetime(2026, 1, 1, tzinfo=timezone.utc)


def events(ids: Iterable[str], first_minute: float, step: float = 1) -> list[Record]:
    """Events with these ids, one after the other, by so many minutes."""
    return [
        Record(
            None,
            json.dumps({"order_id": id_, "at": (START + timedelta(minutes=first_minute + number * step)).isoformat()}),
        )
        for number, id_ in enumerate(ids)
    ]


@pytest.fixture
def once(a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene) -> DataFrame:
    """What the recipe makes of the topic on both clusters, with the ids as values."""
    scene.publish("orders", {"eu-1": on(a, topic), "us-1": on(b, topic)})
    read = scene.read("orders").unavailable_cluster_policy("skip").cluster_request_timeout("3s")
    made: DataFrame = ran(block("Active-active"), orders=read.load())["once"]
    return made.selectExpr("CAST(order_id AS BINARY) AS value")


def dropped(running: Running) -> tuple[int, int]:
    """How many rows were dropped because they came after the watermark, and as known by their id."""
    operators = [one for event in running.query.recentProgress for one in event.stateOperators]
    return (
        sum(one.numRowsDroppedByWatermark for one in operators),
        sum(int(one.customMetrics.get("numDroppedDuplicateRows", 0)) for one in operators),
    )


@pytest.mark.slow
def test_each_id_comes_out_once_though_a_cluster_dies_and_comes_back_with_its_copies(
    a: KafkaCluster, b: KafkaCluster, topic: str, once: DataFrame, scene: Scene
) -> None:
    ids = numbered("", 120)

    def write(first: int, until: int, *clusters: KafkaCluster) -> None:
        for cluster in clusters:
            cluster.produce(topic, events(ids[first:until], first))

    write(0, 40, a, b)
    running = scene.start(once)
    running.await_values(ids[:40])
    b.kill()
    write(40, 80, a)
    running.await_values(ids[:80])
    running.await_state("us-1", "unavailable")
    before = dropped(running)
    # It comes back, and gets what it missed. Some of that is older than the watermark, and some is not.
    b.start()
    write(40, 80, b)
    running.await_state("us-1", "reading")
    running.await_metric("pendingRecords", lambda seen: seen == "0")
    eventually(
        "all its copies are dropped, in both ways",
        lambda: [now - then for now, then in zip(dropped(running), before, strict=True)],
        until=lambda seen: sum(seen) == 40 and min(seen) > 0,
        within=40,
    )
    # What one cluster alone has comes, too.
    write(80, 81, b)
    write(81, 120, a, b)
    running.await_values(ids)


def stored(checkpoint: Path) -> int:
    """The bytes of the state in a checkpoint."""
    return sum(file.stat().st_size for file in (checkpoint / "state").rglob("*.delta"))


@pytest.mark.long
def test_ten_thousand_ids_take_as_much_state_as_the_page_says_and_none_once_their_time_is_over(
    a: KafkaCluster, b: KafkaCluster, topic: str, once: DataFrame, scene: Scene
) -> None:
    ids = [str(uuid.uuid4()) for _ in range(10_000)]
    for cluster in (a, b):
        cluster.produce(topic, events(ids, 0, step=5 / len(ids)))
    running = scene.start(once, availableNow=True)
    running.await_end()
    assert sorted(running.values()) == sorted(ids)
    (state,) = (one for event in running.query.recentProgress[-1:] for one in event.stateOperators)
    assert state.numRowsTotal == len(ids)
    found = int(state.customMetrics["stateOnCurrentVersionSizeBytes"]), stored(running.checkpoint)
    print("state of 10,000 ids, bytes:", found, state.memoryUsedBytes)
    page = (ROOT / "docs" / "recipes.md").read_text()
    ((memory, disk),) = re.findall(r"10,000 UUIDs took ([\d.]+) MB of memory, .*?and ([\d.]+) MB of", page, re.DOTALL)
    assert list(found) == pytest.approx([float(memory) * 1e6, float(disk) * 1e6], rel=0.15)
    a.produce(topic, events(["last"], 60))
    again = scene.start(once, after=running)
    again.await_values([*ids, "last"])

    def left() -> list[int]:
        return [one.numRowsTotal for event in again.query.recentProgress[-1:] for one in event.stateOperators]

    eventually("the state of the ids is gone", left, until=lambda seen: seen == [1], within=40)
