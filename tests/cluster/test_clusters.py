"""What the clusters of the tests promise."""

import time
from collections.abc import Callable

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from tests.cluster import KafkaClusters, eventually

Fresh = Callable[[str], str]


@pytest.mark.slow
def test_requests_to_a_paused_cluster_time_out(clusters: KafkaClusters) -> None:
    a = clusters.get("a")
    client = AdminClient({"bootstrap.servers": a.bootstrap_servers})
    client.list_topics(timeout=10)
    a.pause()
    began = time.monotonic()
    with pytest.raises(KafkaException):
        client.list_topics(timeout=1)
    assert time.monotonic() - began >= 1
    assert not a.is_up()
    a.resume()
    # After a while without a sign of life its controller leaves it out, until it hears of it again.
    eventually("it names itself again", lambda: bool(client.list_topics(timeout=10).brokers), within=20)
