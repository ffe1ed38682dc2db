"""How many tasks a batch has: as many as its records are worth by what the query does with them."""

import pytest
from pyspark.sql.functions import expr, spark_partition_id

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries

PARTITIONS = 4
QUICK, SLOW = "1", "reflect('java.lang.Thread', 'sleep', 5L)"


def write_each(cluster: KafkaCluster, topic: str, prefix: str, count: int) -> list[str]:
    """So many records on each partition."""
    return [
        value
        for partition in range(PARTITIONS)
        for value in write(cluster, topic, *numbered(f"{prefix} {partition}-", count), partition=partition)
    ]


@pytest.mark.parametrize(("work", "sizes"), [(QUICK, [2, 1]), (SLOW, [2, 2])])
def test_records_that_take_long_use_all_cores_and_quick_ones_a_few(
    work: str,
    sizes: list[int],
    a: KafkaCluster,
    b: KafkaCluster,
    fresh_name: Name,
    program: ProgramListing,
    source: Source,
    queries: Queries,
) -> None:
    topic = fresh_name("sized")
    for cluster in (a, b):
        cluster.create_topic(topic, partitions=PARTITIONS)
    program.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    rows = (
        source(program.service, "orders").load().withColumn("task", spark_partition_id()).withColumn("work", expr(work))
    )
    first = write_each(a, topic, "a", 50) + write_each(b, topic, "b", 50)
    # The second batch has all of these.
    later = iter(["later"])
    expected = [f"later {partition}-{n}" for partition in range(PARTITIONS) for n in range(100)]
    running = queries.start(rows, between=lambda: [write_each(a, topic, prefix, 100) for prefix in later])
    running.await_values(first + expected)
    assert [len({row["task"] for row in batch}) for _, batch in sorted(running.batches.items()) if batch] == sizes
