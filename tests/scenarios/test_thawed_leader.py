"""A leader freezes, another one takes over, and the first one thaws when the end of a drain is asked for."""

import threading
import time

import pytest

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.conftest import Creates
from tests.scenarios.listing import on
from tests.scenarios.producing import numbered
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.wire


@pytest.mark.parametrize("delay", [0.3, 0.8])
def test_a_leader_that_thaws_does_not_say_where_a_drain_ends(
    trio: KafkaCluster, a: KafkaCluster, creates: Creates, scene: Scene, delay: float
) -> None:
    topic = creates([(2, 3)])
    old, more = numbered("old ", 10), numbered("more ", 5)
    trio.produce(topic, [(None, text) for text in old], client={"linger.ms": 0})
    taken_off = threading.Event()

    def freezes() -> None:
        if not taken_off.is_set():
            trio.pause(2)
            trio.await_leader(topic, 3)
            trio.produce(topic, [(None, text) for text in more], client={"linger.ms": 0})
            scene.publish("orders", {"trio": on(trio), "a": on(a)})
            # The metadata are fetched each 300 ms. Then the next trigger asks the leader that it knows.
            time.sleep(2)
            threading.Timer(delay, trio.resume, [2]).start()
            taken_off.set()

    running = scene.start(scene.read("orders").option("maxOffsetsPerTrigger", 3).load(), between=freezes)
    eventually("it was taken off", taken_off.is_set, within=60)
    running.await_values([*old, *more])
