"""Records with unique ids, written to each source as long as it is there, whatever happens to its broker; beside them
others in transactions."""

import itertools
from collections.abc import Iterable

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from dynamic_kafka.testing._patience import QUICK

from tests.chaos.committed import CommittedReader
from tests.chaos.journal import Journal
from tests.chaos.ledger import Ledger
from tests.chaos.places import CUT_TOPIC, Ack, Source
from tests.chaos.transactions import Transactions
from tests.cluster import KafkaCluster, eventually
from tests.cluster.repeated import Repeated

_TURN_SECONDS = 0.05
_PATIENCE = 45.0
_PURGED_WITHIN = 5.0
# Unlike the writer of the tests, this waits for no broker: each record is sent once, kept by the client as long as the
# run may last, and is written down with its place when the broker confirms it.
_CLIENT: dict[str, str | int | float | bool] = {
    **QUICK,
    "enable.idempotence": True,
    "message.timeout.ms": 7_200_000,
    "linger.ms": 5,
    # A partition that was added gets records soon.
    "topic.metadata.refresh.interval.ms": 1000,
}


class Producers(Repeated):
    """One client for each source, so that one cluster's trouble is nobody else's. Writes on a thread of its own, and
    beside it in transactions if they are wanted."""

    def __init__(self, journal: Journal, ledger: Ledger, per_second: int, *, in_transactions: bool = True) -> None:
        super().__init__("chaos-producers", _TURN_SECONDS)
        self._journal = journal
        self._ledger = ledger
        self._burst = max(1, round(per_second * _TURN_SECONDS))
        self._open: dict[Source, Producer] = {}
        self._addresses: dict[Source, str] = {}
        self._writing: set[Source] = set()
        self._transactions: dict[Source, Transactions] = {}
        self._in_transactions = in_transactions
        self._numbers = itertools.count()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            super().__exit__(kind, error, trace)
        finally:
            for transactions in self._transactions.values():
                transactions.close()

    def begin(self, cluster: KafkaCluster, source: Source) -> None:
        """Writes to this source from now on. What was cut off may have been the end of a transaction, which nobody can
        judge; so there are none."""
        address = cluster.second_address
        client = _client(address)
        with self._turn:
            self._open[source] = client
            self._addresses[source] = address
            self._writing.add(source)
            if self._in_transactions and source.topic != CUT_TOPIC:
                self._transactions[source] = Transactions(cluster, source, self._journal, self._ledger)

    def write(self, source: Source, records: int) -> None:
        """So many at once, beside the others."""
        with self._turn:
            self._write(self._open[source], source, itertools.islice(self._numbers, records))

    def rest(self, source: Source) -> None:
        """Writes nothing more to this source, and returns when its broker has confirmed all. Raises ``AssertionError``
        if that takes too long; it may be called again. A client that brings nothing to its end has its place taken by
        another one: what it had left is in doubt, as is what it gave up itself, and ``settle`` asks Kafka."""
        with self._turn:
            self._writing.discard(source)
        transactions = self._transactions.get(source)
        if transactions is not None:
            transactions.rest()

        def confirmed(within: float) -> None:
            eventually(
                f"all that was written to {source} is confirmed; not yet",
                lambda: (self._ledger.unsure_of(source), transactions is not None and transactions.open),
                until=lambda seen: seen == (0, False),
                within=within,
            )

        try:
            confirmed(_PATIENCE)
        except AssertionError:
            self._open_anew(source)
            confirmed(_PATIENCE / 3)

    def _open_anew(self, source: Source) -> None:
        with self._turn:
            self._replace(source)

    def _replace(self, source: Source) -> None:
        stuck = self._open[source]
        stuck.purge()
        stuck.flush(_PURGED_WITHIN)  # reports each record as given up
        self._open[source] = _client(self._addresses[source])
        self._journal.count("writer opened anew")

    def go_on(self, source: Source) -> None:
        """Ends a rest."""
        with self._turn:
            self._writing.add(source)
        if source in self._transactions:
            self._transactions[source].go_on()

    def settle(self, cluster: KafkaCluster, source: Source) -> None:
        """Asks Kafka what it holds of a source that rests. A broker that is killed within an abort and comes back may
        skip its marker, and the next commit of that producer commits these records, too: for each reader, so for the
        query. Of the topic that is cut off, what Kafka does not hold is lost."""
        reader = CommittedReader(cluster.second_address)
        try:
            held = reader.places(source.topic)
            kept = self._ledger.hold(source, held, self._journal.now())
        finally:
            reader.close()
        if source.topic == CUT_TOPIC:
            lost = self._ledger.lose(source, held)
            self._journal.note(f"{len(lost)} ids of {source} are cut off")
        if kept:
            self._journal.note(f"{kept} ids of {source} are committed, which were in doubt or said to be aborted")
            self._journal.count("id in doubt or said to be aborted, and committed", kept)

    def close(self, source: Source) -> None:
        """Gives up the client of a source that rests."""
        with self._turn:
            del self._open[source], self._addresses[source]
        if source in self._transactions:
            self._transactions.pop(source).close()

    def sources(self) -> list[Source]:
        with self._turn:
            return list(self._open)

    def check(self) -> None:
        super().check()
        for transactions in list(self._transactions.values()):
            if transactions.failure is not None:
                raise transactions.failure

    def _step(self) -> None:
        for source, client in self._open.items():  # nothing here waits for a broker
            if source in self._writing:
                self._write(client, source, itertools.islice(self._numbers, self._burst))
            client.poll(0)

    def _write(self, client: Producer, source: Source, numbers: Iterable[int]) -> None:
        for number in numbers:
            id_ = f"{source}/{number}"

            def delivered(error: KafkaError | None, message: Message, id_: str = id_) -> None:
                place = place_of(message) if error is None else None
                if place is None:
                    # The broker may have it nevertheless.
                    self._ledger.doubt([id_])
                else:
                    self._ledger.confirm(id_, Ack(source, *place, self._journal.now()))

            self._ledger.send(id_, source)
            try:
                client.produce(source.topic, value=id_, on_delivery=delivered)
            except BufferError:
                self._ledger.refuse(id_)
                return
            except KafkaException as failure:
                # Where a broker has lost what it had confirmed, the numbers of an idempotent client fit no more.
                if not failure.args[0].fatal():
                    raise
                self._ledger.refuse(id_)
                self._replace(source)
                return


def place_of(message: Message) -> tuple[int, int] | None:
    """Partition and offset. A broker that was restarted may confirm what it has already without saying where."""
    partition, offset = message.partition(), message.offset()
    return None if partition is None or offset is None else (partition, offset)


def _client(address: str) -> Producer:
    return Producer({**_CLIENT, "bootstrap.servers": address})
