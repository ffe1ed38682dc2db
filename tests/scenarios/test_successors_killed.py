"""A mirror takes over while drivers are killed. Takes its time; `make chaos` kills them while clusters are renamed."""

import os
import random
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster import KafkaCluster, eventually
from tests.cluster.mirror import Mirror
from tests.scenarios.batch_logs import BatchLogs
from tests.scenarios.conftest import Name
from tests.scenarios.driver_process import DriverProcess, Table
from tests.scenarios.listing import FileListing, exact, on
from tests.scenarios.producing import IdProducer

KILLS = 2


def awaits(driver: DriverProcess, what: str, look: Callable[[], object]) -> None:
    def checked() -> object:
        driver.check()
        return look()

    eventually(what, checked, within=90)


@pytest.mark.long
def test_each_id_is_in_the_table_once_though_driver_and_cluster_die_in_a_batch_and_drivers_in_the_take_over(
    a: KafkaCluster, b: KafkaCluster, file: FileListing, tmp_path: Path, fresh_name: Name
) -> None:
    seed = int(os.environ.get("SEED", random.randrange(10**6)))
    print(f"SEED={seed} makes the same kills again")
    chance = random.Random(seed)
    stream, topic, folder = fresh_name("killed"), fresh_name("ids"), tmp_path / "driver"
    for cluster in (a, b):
        cluster.create_topic(topic, partitions=2)
    table, logs = Table(folder), BatchLogs(folder / "checkpoint")
    file.publish(stream, {"a": on(a, topic)})
    with IdProducer((a, topic)) as ids:
        with Mirror(a, b, topic) as mirror:
            with DriverProcess(file.path, stream, folder) as driver:
                awaits(driver, "batches are committed", lambda: len(table.attempts()) > 2 and logs.all_committed())
            ids.move()
            mirror.await_caught_up()
        # Nobody wrote the last batch, which its driver had logged.
        batch = max(table.attempts())
        logs.leave_over(batch)
        table.forget(batch)
        ended = exact(topic, b.end_offsets(topic))
        a.kill()
        file.publish(stream, {"b": on(b, topic, continues="a", starting=ended)})
        ids.move((b, topic))
        for wanted in range(batch, batch + KILLS):
            with DriverProcess(file.path, stream, folder) as driver:

                def written(wanted: int = wanted) -> bool:
                    return max(table.attempts(), default=-1) >= wanted

                awaits(driver, f"batch {wanted} is written", written)
                threading.Event().wait(chance.uniform(0, 0.5))
    with DriverProcess(file.path, stream, folder) as driver:
        awaits(driver, "all ids are in the table", lambda: not Counter(ids.written()) - table.ids())
    assert table.ids() == Counter(ids.written())
    assert table.unequal() == []
