"""What tests do to topics, through librdkafka: a client that shares no code with the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, ClusterMetadata, NewPartitions, NewTopic, OffsetSpec

from dynamic_kafka._brokers.waiting import NotYet, eventually
from dynamic_kafka.testing._patience import PATIENCE, QUICK, code_of, is_coming_up, patiently, patiently_once
from dynamic_kafka.testing._producing import ClientProperties, Transaction, Writer
from dynamic_kafka.testing._records import Bytes, Record

# Of one try to change something. A broker of tests takes a second at most.
_TRY_SECONDS = 15.0


class Topics:
    """The topics of one cluster. Each method returns when its effect can be seen, and waits for a broker to come up."""

    name: str
    """The cluster id."""
    _admin: AdminClient

    def __init__(self, name: str, address: str) -> None:
        self.name = name
        self._address = address
        self._connect()

    def create_topic(self, topic: str, partitions: int = 1, config: Mapping[str, str] | None = None) -> None:
        """Creates a topic that can be written to and read from at once. ``config`` is its configuration in Kafka.

        Raises confluent-kafka's ``KafkaException`` if it is there already.
        """
        given = dict(config or {})
        self._create(NewTopic(topic, num_partitions=partitions, replication_factor=1, config=given), partitions)

    def delete_topic(self, topic: str) -> None:
        """Deletes a topic with its records."""
        self._once(
            f"topic {topic} is deleted from {self.name}",
            lambda admin: admin.delete_topics([topic], request_timeout=_TRY_SECONDS)[topic].result(),
            done=KafkaError.UNKNOWN_TOPIC_OR_PART,
        )
        self._writer.forget()
        eventually(
            f"topic {topic} is gone from {self.name}",
            self.topics,
            until=lambda seen: topic not in seen,
            within=PATIENCE,
        )

    def add_partitions(self, topic: str, total: int) -> None:
        """Lets a topic grow to ``total`` partitions."""
        wanted = NewPartitions(topic, total)
        self._once(
            f"topic {topic} of {self.name} gets {total} partitions",
            lambda admin: admin.create_partitions([wanted], request_timeout=_TRY_SECONDS)[topic].result(),
            done=KafkaError.INVALID_PARTITIONS,
        )
        self._writer.forget()
        self._await_partitions(topic, total)

    def topics(self) -> set[str]:
        """The names of all topics, Kafka's own left out."""
        return {name for name in self._partitions() if not name.startswith("__")}

    def produce(
        self,
        topic: str,
        records: Iterable[Record | tuple[Bytes, Bytes]],
        *,
        transaction: Transaction = "none",
        client: ClientProperties | None = None,
    ) -> int:
        """Writes records, each exactly once; returns how many, when all are stored.

        ``client`` adds producer properties; then, and for a transaction, a producer of its own is opened.
        """
        if transaction == "none":
            return self._writer.write(topic, records, client or {})
        return self._writer.write_transaction(topic, records, client or {}, commit=transaction == "commit")

    def end_offsets(self, topic: str) -> dict[int, int]:
        """By partition, the offset that the next record gets."""
        return self._offsets(topic, OffsetSpec.latest())  # type: ignore[no-untyped-call]

    def beginning_offsets(self, topic: str) -> dict[int, int]:
        """By partition, the offset of the first record that is still there."""
        return self._offsets(topic, OffsetSpec.earliest())  # type: ignore[no-untyped-call]

    def delete_records(self, topic: str, before: Mapping[int, int]) -> None:
        """By partition, deletes what lies before an offset, as retention would."""
        wanted = [TopicPartition(topic, partition, offset) for partition, offset in before.items()]
        for done in self._admin.delete_records(wanted, request_timeout=PATIENCE).values():
            done.result()

    def _create(self, wanted: NewTopic, partitions: int) -> None:
        topic = str(wanted.topic)

        def create(admin: AdminClient) -> None:
            try:
                admin.create_topics([wanted], request_timeout=_TRY_SECONDS)[topic].result()
            except KafkaException as error:
                # With ZooKeeper, a name is taken until brokers have deleted the files of the topic before it.
                if code_of(error) == KafkaError.TOPIC_ALREADY_EXISTS and topic not in self.topics():
                    raise NotYet(str(error)) from error
                raise

        self._once(
            f"topic {topic} is created on {self.name}",
            create,
            done=KafkaError.TOPIC_ALREADY_EXISTS,
            tried=topic not in self.topics(),
        )
        self._await_partitions(topic, partitions)

    def _once(self, claim: str, change: Callable[[AdminClient], object], done: int, *, tried: bool = False) -> None:
        def attempt() -> None:
            try:
                change(self._admin)
            except KafkaException as error:
                # A client may wait for a controller for ever, though the cluster has one.
                if is_coming_up(error.args[0]):
                    self._admin = self._client()
                raise

        patiently_once(claim, attempt, done, tried=tried)

    def _connect(self) -> None:
        """Opens clients anew, with nothing in memory of what was there before."""
        self._admin = self._client()
        self._writer = Writer(self._address)

    def _client(self, **settings: int) -> AdminClient:
        return AdminClient({**QUICK, **settings, "bootstrap.servers": self._address})

    def _listed(self, seconds: float) -> ClusterMetadata:
        try:
            return self._admin.list_topics(timeout=seconds)
        except KafkaException:
            # A client that was there while its broker was away may never find it again.
            self._admin = self._client()
            raise

    def _partitions(self) -> dict[str, int]:
        listed = patiently(f"{self.name} lists its topics", lambda: self._listed(5))
        return {
            name: sum(partition.leader >= 0 for partition in topic.partitions.values())
            for name, topic in listed.topics.items()
        }

    def _await_partitions(self, topic: str, count: int) -> None:
        eventually(
            f"topic {topic} of {self.name} has {count} partitions with a leader",
            lambda: self._partitions().get(topic),
            until=lambda seen: seen == count,
            within=PATIENCE,
        )

        def led() -> bool:
            try:
                return bool(self._offsets(topic, OffsetSpec.latest(), range(count)))  # type: ignore[no-untyped-call]
            except KafkaException as error:
                if code_of(error) == KafkaError.UNKNOWN_TOPIC_OR_PART:  # a leader learns of it after others do
                    raise NotYet(str(error)) from error
                raise

        eventually(f"the leaders of topic {topic} of {self.name} know it", led, within=PATIENCE)

    def _offsets(self, topic: str, spec: OffsetSpec, partitions: Iterable[int] | None = None) -> dict[int, int]:
        chosen = range(self._partitions()[topic]) if partitions is None else partitions
        asked = {TopicPartition(topic, partition): spec for partition in chosen}
        clients = [self._admin]

        def ask() -> dict[int, int]:
            # A client that holds the leader epoch of before a broker's restart asks with it again and again.
            admin = clients.pop() if clients else self._client()
            answers = admin.list_offsets(asked, request_timeout=PATIENCE)
            return {partition.partition: answer.result().offset for partition, answer in answers.items()}

        return patiently(f"the offsets of topic {topic} on {self.name}", ask)
