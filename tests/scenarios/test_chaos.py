"""Nothing is lost and nothing comes twice, though everything that may fail does, at once. ``make chaos`` goes on."""

from collections.abc import Callable
from pathlib import Path

from tests.chaos.run import Wish, run
from tests.cluster import KafkaCluster

Name = Callable[[str], str]

# What this seed brings within its seconds is below; a longer run begins alike.
WISH = Wish(seed=1, seconds=10, pace=0.35, per_second=40)


def test_each_id_arrives_once_through_a_short_chaos(
    a: KafkaCluster, b: KafkaCluster, guarded: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    clusters = {cluster.name: cluster for cluster in (a, b, guarded)}
    outcome = run(WISH, clusters, "guarded", (fresh_name("ids"), fresh_name("ids")), tmp_path / "chaos", print)
    assert outcome.holds, "\n".join(outcome.lines())
