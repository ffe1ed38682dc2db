"""What a reader on its own sees of transactions."""

import threading
from collections.abc import Callable

import pytest
from confluent_kafka import Producer

from tests.chaos.committed import CommittedReader
from tests.chaos.places import Ack, Source
from tests.cluster import KafkaCluster, KafkaClusters

pytestmark = pytest.mark.slow


def opened(cluster: KafkaCluster, topic: str) -> Producer:
    """A client with one record, "open", in a transaction that is under way."""
    client = Producer({"bootstrap.servers": cluster.second_address, "transactional.id": topic, "log_level": 0})
    client.init_transactions(30)
    client.begin_transaction()
    client.produce(topic, value="open")
    assert client.flush(30) == 0
    return client


def test_what_was_committed_is_held_what_was_aborted_is_not_and_an_open_one_is_waited_for(
    clusters: KafkaClusters, fresh_name: Callable[[str], str]
) -> None:
    cluster, topic = clusters.get("a"), fresh_name("committed")
    cluster.create_topic(topic)
    cluster.produce(topic, [(None, "aborted")], transaction="abort")
    cluster.produce(topic, [(None, "committed")], transaction="commit")

    def at(offset: int) -> Ack:
        return Ack(Source("a", topic, 0), 0, offset, 0.0)

    reader, over = CommittedReader(cluster.second_address), threading.Event()
    # After each of them comes a marker.
    assert reader.holds("aborted", at(0), over.is_set) is False
    assert reader.holds("committed", at(2), over.is_set) is True
    assert reader.holds("another", at(2), over.is_set) is False
    client = opened(cluster, topic)
    soon = threading.Timer(0.5, over.set)
    soon.start()
    assert reader.holds("open", at(4), over.is_set) is None
    ending = threading.Timer(0.3, client.abort_transaction)
    ending.start()
    assert reader.holds("open", at(4), threading.Event().is_set) is False
    ending.join()
    assert reader.places(topic) == {"committed": (0, 2)}
    reader.close()
