"""What groups of consumers have committed on a cluster."""

from collections.abc import Mapping

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from dynamic_kafka._brokers.broker import Kafka
from dynamic_kafka.testing import KafkaCluster
from dynamic_kafka.testing._patience import PATIENCE, patiently


class Groups(KafkaCluster):
    """A cluster of the kit, with the positions that groups keep there."""

    @property
    def kafka(self) -> Kafka:
        """What its brokers run, tools included."""
        return self._brokers[0].kafka

    def commit(self, group: str, topic: str, offsets: Mapping[int, int]) -> None:
        """Sets the committed offsets of a group without members."""
        wanted = [TopicPartition(topic, partition, offset) for partition, offset in offsets.items()]
        request = [ConsumerGroupTopicPartitions(group, wanted)]

        def commit() -> None:
            done = self._admin.alter_consumer_group_offsets(request, request_timeout=PATIENCE)[group].result()
            # A coordinator that comes up says so by partition, and the call as a whole counts as done.
            for entry in done.topic_partitions or []:
                if entry.error is not None:
                    raise KafkaException(entry.error)

        patiently(f"group {group} commits on {self.name}", commit)

    def committed(self, group: str, topic: str) -> dict[int, int]:
        """By partition, what a group has committed; a partition without a commit is left out."""
        request = [ConsumerGroupTopicPartitions(group)]
        answer = patiently(
            f"the commits of group {group} on {self.name}",
            lambda: self._admin.list_consumer_group_offsets(request, request_timeout=PATIENCE)[group].result(),
        )
        found = answer.topic_partitions or []
        return {entry.partition: entry.offset for entry in found if entry.topic == topic and entry.offset >= 0}
