"""The copies of partitions on a cluster of several brokers, and who leads."""

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from confluent_kafka import ElectionType, KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import NewTopic, PartitionMetadata
from dynamic_kafka._brokers.waiting import eventually
from dynamic_kafka.testing._patience import PATIENCE, patiently

from tests.cluster.groups import Groups

_REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"


class Replicas(Groups):
    """Topics, with the brokers that hold them; these are given by their numbers."""

    def create_topic(
        self,
        topic: str,
        partitions: int = 1,
        config: Mapping[str, str] | None = None,
        replicas: Sequence[Sequence[int]] | None = None,
    ) -> None:
        """``replicas`` says by partition who holds it, of which the first leads; ``partitions`` is unused then."""
        if replicas is None:
            super().create_topic(topic, partitions, config)
        else:
            placed = [list(of) for of in replicas]
            wanted = NewTopic(topic, len(placed), replica_assignment=placed, config=dict(config or {}))
            self._create(wanted, len(placed))

    def topic_id(self, topic: str) -> str:
        """Kafka's id of the topic; another one once it was deleted and created again."""
        described = self._admin.describe_topics(TopicCollection([topic]), request_timeout=PATIENCE)[topic].result()
        return str(described.topic_id).replace("+", "-").replace("/", "_")  # as Kafka itself writes it

    def leader(self, topic: str, partition: int = 0) -> int | None:
        """The broker that leads a partition; none while nobody does."""
        leader = self._described(topic)[partition].leader
        return leader if leader >= 0 else None

    def in_sync(self, topic: str) -> dict[int, set[int]]:
        """By partition, the brokers whose copy is complete."""
        return {number: set(described.isrs) for number, described in self._described(topic).items()}

    def await_leader(self, topic: str, wanted: int | None, partition: int = 0) -> None:
        """Waits until this broker leads the partition, or nobody does."""
        eventually(
            f"{wanted} leads partition {partition} of {topic} on {self.name}",
            lambda: self.leader(topic, partition),
            until=lambda seen: seen == wanted,
            within=PATIENCE,
        )

    def await_in_sync(self, topic: str) -> None:
        """Waits until each copy of each partition is complete."""

        def behind() -> dict[int, set[int]]:
            return {n: set(described.replicas) - set(described.isrs) for n, described in self._described(topic).items()}

        eventually(
            f"all copies of {topic} on {self.name} are complete",
            behind,
            until=lambda seen: not any(seen.values()),
            within=PATIENCE,
        )

    def move(self, topic: str, replicas: Mapping[int, Sequence[int]]) -> None:
        """By partition, the brokers that hold it from now on, of which the first leads; returns when it does."""
        wanted = [{"topic": topic, "partition": number, "replicas": list(of)} for number, of in replicas.items()]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "moves.json"
            file.write_text(json.dumps({"version": 1, "partitions": wanted}))
            command = self.kafka.command(_REASSIGN, "-XX:TieredStopAtLevel=1")
            command += ["--bootstrap-server", self._address, "--reassignment-json-file", str(file), "--execute"]
            subprocess.run(command, check=True, capture_output=True)
        eventually(
            f"topic {topic} of {self.name} has moved",
            lambda: {number: described.replicas for number, described in self._described(topic).items()},
            until=lambda seen: all(seen[number] == list(of) for number, of in replicas.items()),
            within=PATIENCE,
        )
        self.await_in_sync(topic)
        for number, of in replicas.items():
            self.elect(topic, number)
            self.await_leader(topic, of[0], number)

    def elect(self, topic: str, partition: int = 0, *, unclean: bool = False) -> None:
        """Has the first of its brokers lead a partition; ``unclean``: anyone who is there, however far behind."""
        kind = ElectionType.UNCLEAN if unclean else ElectionType.PREFERRED

        def ask() -> dict[TopicPartition, KafkaError | None]:
            # A client that knows a controller which is down may wait for it alone, by default for a minute.
            # The call's own `request_timeout` is a SystemError in confluent-kafka 2.16.
            admin = self._client(**{"socket.timeout.ms": 5000})
            return dict(admin.elect_leaders(kind, [TopicPartition(topic, partition)]).result())

        answer = patiently(f"an election for partition {partition} of {topic}", ask)
        for error in answer.values():
            if error is not None and error.code() != KafkaError.ELECTION_NOT_NEEDED:
                raise KafkaException(error)

    def _described(self, topic: str) -> dict[int, PartitionMetadata]:
        listed = patiently(f"{self.name} describes {topic}", lambda: self._client().list_topics(topic, timeout=1))
        return dict(listed.topics[topic].partitions)
