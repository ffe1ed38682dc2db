"""Writes orders all the time. Each has its own id and is written once, to one cluster."""

from __future__ import annotations

import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from dynamic_kafka._brokers import SetupError
from dynamic_kafka._brokers.broker import Broker
from dynamic_kafka._brokers.settings import SMALL_JAVA

_PAUSE_SECONDS = 0.1
_PATIENCE_SECONDS = 120
_SHOWN = 5


class Orders:
    """Writes at a steady rate on its own thread, in turn to each of the present clusters, by Kafka's own producer.

    Ids count from 0; ``sent`` has the cluster of each.
    """

    def __init__(self, topic: str, brokers: Sequence[Broker], folder: Path, per_second: int) -> None:
        self.sent: list[str] = []
        self._per_second = per_second
        self._lock = threading.Lock()
        self._targets: tuple[str, ...] = ()
        self._failure: OSError | None = None
        self._stopping = threading.Event()
        self._producers = {one.name: _producer(one, topic, folder / one.name / "producer.log") for one in brokers}
        self._thread = threading.Thread(target=self._run, name="orders", daemon=True)
        self._thread.start()

    def write_to(self, *clusters: str) -> None:
        """Changes the clusters that get orders. When it returns, no other cluster is given any more."""
        with self._lock:
            self._targets = clusters

    def burst(self, cluster: str, orders: int) -> None:
        """Writes so many orders to one cluster, now."""
        with self._lock:
            self._write([cluster], orders)

    def finish(self, cluster: str) -> None:
        """Returns when the cluster has confirmed all its orders. It gets no more."""
        producer = self._producers[cluster]
        _close(producer)
        if producer.wait(_PATIENCE_SECONDS):
            raise SetupError(f"The orders for {cluster} could not all be written.")

    def count(self) -> Counter[str]:
        """How many orders each cluster was given."""
        if self._failure is not None:
            raise SetupError(f"Orders can't be written: {self._failure}.")
        with self._lock:
            return Counter(self.sent)

    def stop(self) -> None:
        """Returns when no more order is written. May be called again."""
        self._stopping.set()
        self._thread.join()

    def kill(self) -> None:
        """Ends all at once."""
        self._stopping.set()
        for producer in self._producers.values():
            producer.kill()
            producer.wait()
        self._thread.join()  # it may have waited for one that took no more
        for producer in self._producers.values():
            _close(producer)

    def _run(self) -> None:
        last = time.monotonic()
        try:
            while not self._stopping.wait(_PAUSE_SECONDS):
                now = time.monotonic()
                with self._lock:
                    self._write(self._targets, round((now - last) * self._per_second))
                last = now
        except OSError as failure:
            self._failure = failure  # count() raises it

    def _write(self, clusters: Sequence[str], orders: int) -> None:
        for turn in range(orders if clusters else 0):
            cluster = clusters[turn % len(clusters)]
            pipe = self._producers[cluster].stdin
            assert pipe is not None  # noqa: S101 - as asked for
            pipe.write(f'{{"id": {len(self.sent)}, "cents": {100 + len(self.sent) * 7919 % 9900}}}\n'.encode())
            self.sent.append(cluster)
        for cluster in clusters:
            pipe = self._producers[cluster].stdin
            assert pipe is not None  # noqa: S101 - as asked for
            pipe.flush()


def problems(sent: Sequence[str], rows: Iterable[tuple[int, str]]) -> list[str]:
    """What is not right of the rows that came out, each an id and its cluster; none if each order came exactly once."""
    came = Counter(rows)
    wanted = dict.fromkeys(enumerate(sent), 1)
    found = {
        "missing": [order for order in wanted if order not in came],
        "more than once": [order for order in wanted if came[order] > 1],
        "never written": [order for order in came if order not in wanted],
    }
    said = [f"{name}: {_listed(orders)}" for name, orders in found.items() if orders]
    return said or ([] if sent else ["no order was written"])


def _listed(orders: Sequence[tuple[int, str]]) -> str:
    first = ", ".join(f"{order} of {cluster}" for order, cluster in orders[:_SHOWN])
    return f"{len(orders):,}, such as {first}"


def _producer(broker: Broker, topic: str, log: Path) -> subprocess.Popen[bytes]:
    """It ends with its input, so with this process."""
    # By its defaults it drops what a broker has not confirmed within some seconds, as on a busy machine.
    patient = (f"--request-timeout-ms={_PATIENCE_SECONDS * 500}", "--message-send-max-retries=1000")
    arguments = (
        f"--bootstrap-server={broker.address}",
        f"--topic={topic}",
        "--command-property=linger.ms=50",
        *patient,
    )
    with log.open("w") as output:
        return subprocess.Popen(  # noqa: S603 - Kafka's own producer
            [*broker.kafka.command("org.apache.kafka.tools.ConsoleProducer", *SMALL_JAVA), *arguments],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C is for the demo, which then ends it
        )


def _close(producer: subprocess.Popen[bytes]) -> None:
    assert producer.stdin is not None  # noqa: S101 - as asked for
    with suppress(OSError):  # it may have ended
        producer.stdin.close()
