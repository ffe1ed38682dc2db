"""What a cluster is called and how it is reached: recipes of docs/migrations.md, each by the test of its name."""

from dynamic_kafka import ClusterMetadata

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.operating import Operator
from tests.scenarios.session_log import SessionLog


def test_move_a_cluster_to_other_addresses(
    operator: Operator, a: KafkaCluster, b: KafkaCluster, jvm: DriverJvm, log: SessionLog
) -> None:
    operator.creates(a, b)
    operator.lists(a, b)
    with operator.producing(a, b) as ids:
        running = operator.starts()
        running.await_rows_of("b")
        old = jvm.connections(b)
        assert old
        operator.lists(a, b=ClusterMetadata([operator.topic], {"bootstrap.servers": b.second_address}))
        log.await_line("topology reconnected=b")
        # On driver and executors.
        eventually(
            "nobody is connected to the old address", lambda: old & jvm.connections(b), until=lambda s: not s, within=20
        )
        running.await_rows_of("b", 20)
    running.await_values(ids.written())


def test_rotate_credentials(
    operator: Operator, a: KafkaCluster, guarded: KafkaCluster, jvm: DriverJvm, log: SessionLog
) -> None:
    operator.creates(a, guarded)

    def logged_in(user: str) -> ClusterMetadata:
        return ClusterMetadata([operator.topic], guarded.properties(user))

    operator.lists(a, guarded=logged_in("reader"))
    with operator.producing(a, guarded) as ids:
        running = operator.starts()
        running.await_rows_of("guarded")
        old = jvm.connections(guarded)
        guarded.set_password("next-reader", "second")
        operator.lists(a, guarded=logged_in("next-reader"))
        log.await_line("topology reconnected=guarded")
        eventually("nobody uses the old ones", lambda: old & jvm.connections(guarded), until=lambda s: not s, within=20)
        guarded.set_password("reader", "revoked")
        running.await_rows_of("guarded", 20)
    running.await_values(ids.written())
    running.stop()
    # Nothing of the old ones is in the checkpoint.
    with operator.producing(guarded) as more:
        more.await_more(10)
    operator.starts(after=running).await_values(ids.written() + more.written())
