"""What a task's parts cost, out of the times of whole tasks."""

import pytest
from bench.weights import CLUSTER, NEW, PARTITION, RECORD, TASK, readings_of


def test_costs_are_separated_by_what_reads_differ_in() -> None:
    record, partition, cluster, rest, start = 1e-6, 2e-4, 5e-4, 7e-3, 4e-3

    def took(clusters: int, partitions: int, records: int) -> float:
        each = clusters * partitions
        return rest + clusters * cluster + each * partition + each * records * record

    sizes = [(1, 1, 100), (1, 1, 40_000), (1, 16, 100), (16, 1, 100)]
    taken = {"x".join(map(str, size)): [took(*size)] * 2 for size in sizes}
    taken["new-1x1x100"] = [took(1, 1, 100) + 3e-2] * 2
    found = {reading.case: reading for reading in readings_of(taken, [start, start])}
    assert found[RECORD].values == pytest.approx((1000, 1000))
    assert found[PARTITION].values == pytest.approx((200, 200))
    assert found[CLUSTER].median == pytest.approx(500)
    assert found[TASK].median == pytest.approx(4000)
    assert found[NEW].median == pytest.approx(30_000)
    assert {name: reading.unit for name, reading in found.items()} == {
        RECORD: "ns",
        PARTITION: "records",
        CLUSTER: "records",
        TASK: "records",
        NEW: "records",
    }
