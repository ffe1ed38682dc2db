"""Nothing is lost and nothing comes twice, though everything that may fail does, at once. ``make chaos`` goes on."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chaos.run import Wish, run
from tests.chaos.script import Kind
from tests.chaos.sink import Sink
from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name

pytestmark = pytest.mark.slow

# A seed that brings within a few seconds what takes others a minute; what comes first in each lane comes for certain.
WISH = Wish(seed=5766, seconds=7.4, pace=0.35, per_second=40)
BROUGHT = {
    Kind.BROKER_PAUSED,
    Kind.BROKER_RESTARTED,
    Kind.CLUSTER_RENAMED,
    Kind.DRIVER_KILLED,
    Kind.FILE_CUT,
    Kind.PARTITION_ADDED,
    Kind.PASSWORD_CHANGED,
    Kind.SERVICE_WRONG,
    Kind.TOPIC_PAUSED,
    Kind.TOPIC_RECREATED,
}


def test_each_id_arrives_once_through_a_short_chaos(
    a: KafkaCluster, b: KafkaCluster, guarded: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    clusters = {cluster.name: cluster for cluster in (a, b, guarded)}
    outcome = run(WISH, clusters, "guarded", (fresh_name("ids"), fresh_name("ids")), tmp_path / "chaos", print)
    assert outcome.holds, "\n".join(outcome.lines())
    assert {kind.value for kind in BROUGHT} <= outcome.faults.keys()


def test_in_real_time_mode_only_what_was_not_committed_comes_again_through_a_short_chaos(
    a: KafkaCluster, b: KafkaCluster, c: KafkaCluster, guarded: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    clusters = {cluster.name: cluster for cluster in (a, b, guarded)}
    with Sink(c, fresh_name("sink")) as sink:
        wish = replace(WISH, seconds=20, sink=sink)
        outcome = run(wish, clusters, "guarded", (fresh_name("ids"), fresh_name("ids")), tmp_path / "chaos", print)
    assert outcome.holds, "\n".join(outcome.lines())
    assert {kind.value for kind in BROUGHT} <= outcome.faults.keys()
    assert outcome.repeats is not None
