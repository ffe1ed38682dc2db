"""What one metadata service is asked by many queries, and how much it can answer: pollers without the rest of their
queries, and the server of `examples/http-metadata`. `FleetSuite` shows the same with a clock moved by hand."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml
from tests.examples.metadata_server import MetadataServer

from bench.console import say
from bench.engine import Engine
from bench.folders import WORK
from bench.readings import Reading, Readings
from bench.sources import OURS, STREAM

SUITE = "fleet"
QUERIES, CLUSTERS = 20, 50
# A tenth of the default, and so are the times below.
INTERVAL = 3.0
REST, REFUSED, FROZEN, FAILED = "at rest", "refuses connections", "is frozen", "a cluster of all fails"
AFTER = "after that"
STARTED = "all start together"
CAPACITY = "one request after the other of each"
RATE, BUSIEST, ALL = "requests in an interval", "most in a thirtieth of an interval", "until all have their answer"
PER_SECOND = "requests a second"

# In intervals.
_REST, _DOWN, _AFTER = 10, 2, 5
_CAPACITY_SECONDS = 10


def run(engine: Engine, readings: Readings) -> None:
    """Adds readings of each case."""
    folder = WORK / "fleet"
    folder.mkdir(parents=True, exist_ok=True)
    streams = _streams(folder / "streams.yaml")
    with MetadataServer(streams, folder / "server") as server:
        pollers = engine.jvm.io.github.dynamickafka.spark.bench.FleetPollers(
            server.url, str(server.token_file), STREAM, QUERIES, int(1000 * INTERVAL)
        )
        try:
            for case, metric, unit, value in _cases(server, pollers):
                readings.add(Reading(SUITE, case, OURS, metric, unit, (value,)))
                say(f"{SUITE} | {case} | {metric}: {value:.2f} {unit}")
        finally:
            pollers.close()


def busiest(times: Sequence[float], width: float) -> int:
    """Pure: the most of these times that lie within any ``width``."""
    ordered = sorted(times)
    return max((sum(begin <= time < begin + width for time in ordered) for begin in ordered), default=0)


def _cases(server: MetadataServer, pollers: Any) -> list[tuple[str, str, str, float]]:
    found: list[tuple[str, str, str, float]] = [(STARTED, ALL, "s", pollers.start())]

    def during(case: str, intervals: int) -> None:
        before = len(pollers.asked())
        _pass(intervals * INTERVAL)
        came = list(pollers.asked())[before:]
        found.extend(
            [(case, RATE, "", len(came) / intervals), (case, BUSIEST, "", float(busiest(came, INTERVAL / 30)))]
        )

    def down(case: str, falls: Callable[[], None], recovers: Callable[[], None]) -> None:
        falls()
        during(f"it {case}", _DOWN)
        recovers()
        _pass(INTERVAL)
        during(f"it {case}, {AFTER}", _AFTER)
        if pollers.failures():
            raise AssertionError(f"Fetches still fail after the service was back: {case}.")

    during(REST, _REST)
    found.append((FAILED, ALL, "s", pollers.clusterFails()))
    _pass(INTERVAL)
    during(f"{FAILED}, {AFTER}", _AFTER)
    down(REFUSED, server.close, server.open)
    down(FROZEN, server.pause, server.resume)
    answered = pollers.fetches(1000 * _CAPACITY_SECONDS)
    return [*found, (CAPACITY, PER_SECOND, "", answered / _CAPACITY_SECONDS)]


def _streams(path: Path) -> Path:
    """A file of one stream on all clusters."""
    listed = [
        {
            "clusterId": f"cluster-{number:02d}",
            "bootstrapServers": f"kafka-{number:02d}.example.com:9093",
            "topics": ["orders"],
            "properties": {"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512"},
        }
        for number in range(CLUSTERS)
    ]
    path.write_text(yaml.safe_dump([{"streamId": STREAM, "clusterMetadataList": listed}]))
    return path


def _pass(seconds: float) -> None:
    """Lets time pass while the service is asked."""
    threading.Event().wait(seconds)
