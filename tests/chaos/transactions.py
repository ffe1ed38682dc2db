"""Ids that are written in transactions, of which some are aborted and some stay open for a while."""

import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from dynamic_kafka.testing._patience import QUICK

from tests.chaos.committed import CommittedReader
from tests.chaos.journal import Journal
from tests.chaos.ledger import Ledger
from tests.chaos.places import Ack, Source
from tests.cluster import KafkaCluster

_TRY_SECONDS = 2.0
# Of one try, and beyond what brokers are away.
_COMMIT_SECONDS = 40.0
_LOOK_SECONDS = 0.05
# Longer than any is left open on purpose.
_LONG_SECONDS = 10.0
OPEN_FOR_LONG = "transaction open for long"
# Until a broker aborts by itself what nobody ends; beyond most pauses.
_TIMEOUT_MS = 20_000
_CLIENT: dict[str, str | int | float | bool] = {
    **QUICK,
    "enable.idempotence": True,
    "transaction.timeout.ms": _TIMEOUT_MS,
    "message.timeout.ms": _TIMEOUT_MS,
    "linger.ms": 5,
    "topic.metadata.refresh.interval.ms": 1000,
}


class Transactions:
    """Those of one source, one after the other, on a thread of its own, which may wait for its broker.

    Counted in the journal: ``transaction committed``, ``aborted``, ``left open`` by a writer that was gone, whose
    successor ends it, and ``in doubt``, where nobody knows. Where a broker is killed within an end, what the writer
    is answered is not always what becomes of it. What a reader sees is what counts: the others are ``said to be
    committed, and aborted``, and what was said to be aborted is looked for before its topic goes
    (``Producers.settle``). One that was open for long is noted with its time: nobody reads what lies behind it.
    """

    def __init__(self, cluster: KafkaCluster, source: Source, journal: Journal, ledger: Ledger) -> None:
        self._cluster = cluster
        self._source = source
        self._journal = journal
        self._ledger = ledger
        self._chance = random.Random(str(source))
        self._numbers = itertools.count()
        self._calm, self._over = threading.Event(), threading.Event()
        self._places: dict[str, Ack] = {}
        self._reader = CommittedReader(cluster.second_address)
        self.failure: BaseException | None = None
        self.open = False
        self._thread = threading.Thread(target=self._run, name=f"transactions {source}", daemon=True)
        self._thread.start()

    def rest(self) -> None:
        """Ends the one that is open, soon, and begins no other."""
        self._calm.set()

    def go_on(self) -> None:
        """Ends a rest."""
        self._calm.clear()

    def close(self, within: float = 30.0) -> None:
        """Writes nothing more; returns when the thread has ended."""
        self._over.set()
        self._calm.set()
        self._thread.join(within)

    def _run(self) -> None:
        try:
            client = self._open()
            while client is not None and not self._over.is_set():
                # Before the look, so that whoever asked it to rest sees what it may have begun.
                self.open = True
                if not self._calm.is_set():
                    began = self._journal.now()
                    client = self._one(client)
                    if self._journal.now() - began > _LONG_SECONDS:
                        self._journal.note(f"{OPEN_FOR_LONG} {self._source.cluster} {self._source.topic}", began)
                self.open = False
                self._over.wait(self._chance.uniform(_LOOK_SECONDS, 0.5))
        except BaseException as failure:
            self.failure = failure  # whoever looks raises it
        finally:
            self._reader.close()

    def _one(self, client: Producer) -> Producer | None:
        """One transaction; gives the client for the next one."""
        ids = [f"{self._source}/tx-{number}" for number in itertools.islice(self._numbers, self._chance.randint(1, 20))]
        end = self._chance.choice(("committed", "committed", "committed", "aborted", "left open"))
        # Most are short; some stay open while much is written behind them.
        stays = self._chance.choice((0.0, 0.1, 0.5, 4.0))
        self._places = {}
        try:
            client.begin_transaction()
        except KafkaException:
            # Fenced: a broker that was killed remembers a newer writer of this name than it reported.
            self._journal.count("transaction's writer fenced")
            return self._open()
        written = list(self._written(client, ids))
        self._calm.wait(stays)
        client.poll(0)
        if end == "left open":
            return self._given_up(written, end)
        return self._ended(client, written, end)

    def _written(self, client: Producer, ids: list[str]) -> Iterator[str]:
        for id_ in ids:
            self._ledger.send(id_, self._source)
            try:
                client.produce(self._source.topic, value=id_, on_delivery=self._delivered(id_))
            except (BufferError, KafkaException):
                # The transaction has failed already; its end reports that.
                self._ledger.refuse(id_)
                return
            yield id_

    def _delivered(self, id_: str) -> Callable[[KafkaError | None, Message], None]:
        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is None:
                place = (int(message.partition() or 0), int(message.offset() or 0))
                self._places[id_] = Ack(self._source, *place, self._journal.now())

        return delivered

    def _ended(self, client: Producer, ids: list[str], end: str) -> Producer | None:
        if end == "committed":
            error = _tried(client.commit_transaction, _COMMIT_SECONDS)
            if error is None:
                self._settle(ids)
                return client
            if not error.txn_requires_abort():
                return self._decided(ids)
        if self._patiently(client.abort_transaction) is None:
            self._abort(ids, "aborted")
            return client
        return self._given_up(ids, "left open")

    def _decided(self, ids: list[str]) -> Producer | None:
        """After a commit without an answer: once a client of the same name is there, Kafka has decided."""
        client = self._open()
        if client is not None and self._places.keys() >= set(ids):
            self._settle(ids)
        else:
            self._doubt(ids)
        return client

    def _settle(self, ids: list[str]) -> None:
        """After a commit: whether it was one, as a reader sees it in each partition."""
        last = {self._places[id_].partition: id_ for id_ in ids}
        # Each by itself: of several markers a broker that comes back may skip some.
        until = time.monotonic() + _COMMIT_SECONDS
        held = {at: self._reader.holds(id_, self._places[id_], lambda: self._late(until)) for at, id_ in last.items()}
        by_fate: dict[bool | None, list[str]] = {True: [], False: [], None: []}
        for id_ in ids:
            by_fate[held[self._places[id_].partition]].append(id_)
        # As of their delivery: from then on they belong to what is read, whenever they are committed.
        for id_ in by_fate[True]:
            self._ledger.confirm(id_, self._places[id_])
        if by_fate[False]:
            self._abort(by_fate[False], "said to be committed, and aborted")
        if by_fate[None]:
            self._doubt(by_fate[None])
        if set(held.values()) == {True}:
            self._journal.count("transaction committed")

    def _late(self, until: float) -> bool:
        # What nobody ends ends with the next transaction there, so there must be one.
        return self._over.is_set() or time.monotonic() > until

    def _given_up(self, ids: list[str], how: str) -> Producer | None:
        """Nobody commits it: a client of the same name ends it when it comes."""
        client = self._open()
        if client is not None:
            self._abort(ids, how)
        return client

    def _doubt(self, ids: list[str]) -> None:
        self._ledger.doubt(ids)
        self._journal.count("transaction in doubt")

    def _abort(self, ids: list[str], how: str) -> None:
        self._ledger.abort(ids, self._places)
        self._journal.count(f"transaction {how}")

    def _open(self) -> Producer | None:
        """A client that may begin; none when all is over."""
        while not self._over.is_set():
            name = {"transactional.id": f"chaos-{self._source}"}
            client = Producer({**_CLIENT, **name, "bootstrap.servers": self._cluster.second_address})
            if self._patiently(client.init_transactions) is None:
                return client
        return None

    def _patiently(self, call: Callable[[float], object]) -> KafkaError | None:
        """Tries as long as that may help; gives what stands in the way for good, or for so long that another client may
        do better."""
        until = time.monotonic() + _COMMIT_SECONDS
        while True:
            error = _tried(call, _TRY_SECONDS)
            if error is None or not error.retriable() or self._late(until):
                return error


def _tried(call: Callable[[float], object], seconds: float) -> KafkaError | None:
    try:
        call(seconds)
    except KafkaException as failure:
        error: KafkaError = failure.args[0]
        return error
    return None
