"""Runs the demo. With ``DEMO=python`` the metadata service is written in Python, otherwise it is a YAML file.

Ends with 0 if each order arrived exactly once, with 1 if not.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

from rich.console import Console
from tests.cluster import KafkaClusters

from demo.chart import save_chart
from demo.directory import Directory, PythonDirectory, YamlDirectory
from demo.producer import OrderProducer
from demo.proof import Proof, prove
from demo.reading import OrderQuery, open_session
from demo.scenario import Scenario
from demo.screen import screen_for
from demo.stopping import StopRequest

FOLDER = Path(__file__).resolve().parents[1] / "build" / "demo"
STREAM = "orders"
CLUSTERS = ("eu-1", "eu-2")
PARTITIONS = 3
ORDERS_PER_SECOND = 1_000
MOST_PER_BATCH = 4_000


def main() -> int:
    stop = StopRequest()
    console = Console()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    try:
        proof = run(console, directory(os.environ.get("DEMO", "")), stop)
    except KeyboardInterrupt:
        console.print("Stopped.")
        return 128 + signal.SIGINT
    console.print("\n".join(proof.lines()), highlight=False)
    return 0 if proof.holds else 1


def directory(choice: str) -> Directory:
    """Raises ``SystemExit`` for an unknown choice."""
    if choice in ("", "yaml"):
        return YamlDirectory(STREAM, FOLDER / "streams.yaml")
    if choice == "python":
        return PythonDirectory(STREAM)
    raise SystemExit(f"DEMO is {choice!r}; it may be 'yaml', the default, or 'python'.")


def run(console: Console, where: Directory, stop: StopRequest) -> Proof:
    stop.listen()
    console.print(f"Starting Kafka clusters {' and '.join(CLUSTERS)} and Spark ...")
    with KafkaClusters() as clusters:
        started = clusters.start(*CLUSTERS)
        for cluster in started:
            cluster.create_topic(STREAM, partitions=PARTITIONS)
        stop.check()
        spark = open_session(FOLDER / "spark.log")
        stop.listen()
        query = OrderQuery(spark, where.service, FOLDER)
        try:
            with OrderProducer(STREAM, per_second=ORDERS_PER_SECOND) as producer, screen_for(console) as screen:
                story = Scenario(started, where, producer, query, screen, stop)
                story.play(lambda: query.start(STREAM, CLUSTERS, most_per_batch=MOST_PER_BATCH))
            query.stop()
            save_chart(story.history, CLUSTERS, FOLDER / "orders.svg")
            console.print(f"Chart: {FOLDER / 'orders.svg'}\nLog:   {FOLDER / 'spark.log'}", soft_wrap=True)
            return prove(
                query.output(),
                written=producer.written().total(),
                in_kafka={cluster.name: sum(cluster.end_offsets(STREAM).values()) for cluster in started},
            )
        finally:
            spark.stop()


if __name__ == "__main__":
    sys.exit(main())
