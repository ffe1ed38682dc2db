"""Opens what the story needs, plays it, and says what came of it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from dynamic_kafka._brokers import SetupError
from dynamic_kafka._brokers.broker import Broker, Kafka, new_kafka_id, single_broker
from dynamic_kafka._brokers.ports import Port, claim_port
from dynamic_kafka._brokers.waiting import eventually
from dynamic_kafka.demo._orders import Orders, problems
from dynamic_kafka.demo._query import OrderQuery, open_session
from dynamic_kafka.demo._screen import Screen
from dynamic_kafka.demo._stopping import StopRequest
from dynamic_kafka.demo._story import Story

CLUSTERS = ("eu-1", "eu-2")
ORDERS_PER_SECOND = 200
MOST_PER_BATCH = 2_000
_PATIENCE_SECONDS = 90.0


def play(folder: Path, java: str, class_path: str, opened: ExitStack, *, picture: Path | None) -> int:
    """Returns the exit code. What is started here is closed with ``opened``."""
    began, stop = time.time(), StopRequest()
    stop.listen()
    print(f"Starting Kafka clusters {' and '.join(CLUSTERS)}, and Spark. It takes a minute or two in all.", flush=True)
    ports = [claim_port() for _ in range(2 * len(CLUSTERS))]
    for port in ports:
        opened.callback(port.release)
    old, new = (_broker(name, folder, Kafka(java, class_path), ports) for name in CLUSTERS)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.pop("SPARK_REMOTE", None)  # the query runs here
    with ThreadPoolExecutor() as beside:
        started = [beside.submit(broker.start, new_kafka_id()) for broker in (old, new)]
        for broker in (old, new):
            opened.callback(broker.kill)
        spark = open_session(folder)
        opened.callback(spark.stop)
        stop.listen()
        for one in started:
            one.result()
    for broker in (old, new):
        _await_start(broker, stop.check)
    orders = Orders("orders", (old, new), folder, ORDERS_PER_SECOND)
    opened.callback(orders.kill)

    def start() -> OrderQuery:
        query = OrderQuery(spark, folder, CLUSTERS, MOST_PER_BATCH)
        opened.callback(query.stop)
        return query

    query = Story((old, new), folder / "streams.yaml", orders, Screen(sys.stdout), began).play(start, stop.check)
    query.stop()
    if picture:
        query.progress().plot().savefig(picture)
    return verdict(orders.sent, query.rows())


def _broker(name: str, folder: Path, kafka: Kafka, ports: list[Port]) -> Broker:
    """A topic comes into being when the first record is written to it."""
    # No broker is started again. A machine may be so busy that one is silent for some seconds.
    session = {"broker.session.timeout.ms": "30000"}
    own = {"auto.create.topics.enable": "true", "num.partitions": "3", **session}
    port, controller = ports[2 * CLUSTERS.index(name) :][:2]
    return single_broker(name, folder / name, kafka, port.number, controller.number, own)


def _await_start(broker: Broker, check: Callable[[], None]) -> None:
    """Returns when it can be used. ``check`` may end the wait by an exception."""

    def started() -> bool:
        check()
        if not broker.is_running():
            raise SetupError(f"Kafka cluster {broker.name} did not start. {broker.last_words()}")
        return "Kafka Server started" in broker.log.read_text(errors="replace")

    try:
        eventually(f"Kafka cluster {broker.name} starts", started, within=_PATIENCE_SECONDS)
    except AssertionError as late:
        raise SetupError(f"{late} {broker.last_words()}") from None


def verdict(sent: list[str], rows: list[tuple[int, str]]) -> int:
    """Says whether each order came exactly once, and returns the exit code."""
    print(f"\n{len(sent):,} orders were written, {len(rows):,} rows came out of the query.")
    wrong = problems(sent, rows)
    print("\n".join(wrong) or "Each order came exactly once, from the cluster that it was written to.")
    return 1 if wrong else 0
