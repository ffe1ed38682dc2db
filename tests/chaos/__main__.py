"""``python -m tests.chaos``: a run of its own.

In the environment: ``SEED`` (any), ``DURATION`` such as 60s, 10m or 1h, ``CLUSTER`` (``local`` or ``standalone``),
``MODE`` (``batches`` or ``realtime``: Real-Time Mode, into a topic of a fourth cluster), ``RATE`` (ids a second to each
topic of each cluster), ``PACE`` (how far faults are apart, 1 for a quiet machine), ``FAR`` (how much longer a round
trip to one cluster takes, such as 80ms), and ``ON_CALL`` (any: the one fault is a cluster that is down for
``DURATION``, and a driver killed meanwhile).
Ends with 1 if anything was lost, came twice, or ended a query that should have gone on. In Real-Time Mode what was
not committed may come again after a start.
"""

import os
import random
import re
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from tests.chaos.run import Wish, run
from tests.chaos.sink import Sink
from tests.chaos.spark_cluster import SparkCluster
from tests.chaos.stage import USER
from tests.cluster import KafkaClusters, ServerSettings
from tests.cluster.gate import Gate, Way

FOLDER = Path(__file__).resolve().parents[2] / "build" / "chaos"
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
_FAR = "a"
# Executors of their own take as long again to come up as the driver.
_PACE = {"local": 1.0, "standalone": 2.0}


def main() -> int:
    choice = os.environ.get("CLUSTER") or "local"
    if choice not in _PACE:
        raise SystemExit(f"CLUSTER is {choice!r}; it may be 'local', the default, or 'standalone'.")
    live = _live(choice)
    wish = Wish(
        seed=int(os.environ.get("SEED") or random.randrange(10**6)),
        seconds=seconds(os.environ.get("DURATION") or "60s"),
        pace=_PACE[choice] * float(os.environ.get("PACE") or 1),
        per_second=int(os.environ.get("RATE") or 100),
        on_call=bool(os.environ.get("ON_CALL")),
    )
    prefix = "on-call-" if wish.on_call else "realtime-" if live else ""
    folder = FOLDER / f"{prefix}{wish.seed}"
    with ExitStack() as stack:
        clusters = stack.enter_context(KafkaClusters(FOLDER / "clusters"))
        wish = replace(wish, addresses=_far(stack, clusters, seconds(os.environ.get("FAR") or "0s")))
        # Who is on call has no other fault than one dead cluster.
        clusters.start("b", settings=ServerSettings(brokers=1 if wish.on_call else 3))
        clusters.start("c", settings=ServerSettings(users={USER: "first"}))
        spark = stack.enter_context(SparkCluster(FOLDER / f"spark-{wish.seed}")) if choice == "standalone" else None
        by_name = {cluster.name: cluster for cluster in clusters}
        if live:
            wish = replace(wish, sink=stack.enter_context(Sink(clusters.start("sink")[0], "rows")))
        try:
            outcome = run(wish, by_name, "c", ("ids-0", "ids-1"), folder, say, spark)
        finally:
            clusters.keep_logs(folder / "brokers")
    say("\n".join(outcome.lines()))
    say(f"SEED={wish.seed} makes the same faults again.")
    return 0 if outcome.holds else 1


def _far(stack: ExitStack, clusters: KafkaClusters, delay: float) -> dict[str, str]:
    """Starts ``a``, at such a distance for those who read it. Returns the address for them, if it is far."""
    if not delay:
        clusters.start(_FAR)
        return {}
    port = clusters.port()
    (far,) = clusters.start(_FAR, settings=ServerSettings(advertised_ports={"FAR": port}))
    return {_FAR: stack.enter_context(Gate(port, far.port("FAR"), Way(delay=delay))).address}


def _live(cluster: str) -> bool:
    mode = os.environ.get("MODE") or "batches"
    if mode not in ("batches", "realtime"):
        raise SystemExit(f"MODE is {mode!r}; it may be 'batches', the default, or 'realtime'.")
    if mode == "realtime" and cluster != "local":
        # What a task has written that dies with its executor, the next attempt writes again, within one start.
        raise SystemExit("MODE=realtime needs CLUSTER=local: a task that runs again writes its rows again.")
    if mode == "realtime" and os.environ.get("ON_CALL"):
        raise SystemExit("MODE=realtime judges no ages of rows, and ON_CALL does nothing else.")
    return mode == "realtime"


def seconds(text: str) -> float:
    """A duration such as 80ms, 90s, 10m or 1h."""
    found = re.fullmatch(r"([0-9.]+)(ms|s|m|h)", text)
    if found is None:
        raise SystemExit(f"{text!r} is no duration; write it like 80ms, 60s, 10m or 1h.")
    return float(found[1]) * _SECONDS[found[2]]


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
