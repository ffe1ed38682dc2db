"""`dynamic-kafka adopt` on each Spark: each kind of state in each store, and each form of union."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import KafkaClusters
from tests.matrix.corners import NEEDED, SPARKS, Corner, environment
from tests.packages import jars_of
from tests.readme import ROOT, printed_by
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import write_numbers
from tests.scenarios.unions import KINDS, STORES, plain

PROGRAM = ROOT / "tests" / "matrix" / "adopt_program.py"
PATIENCE = 600
# Spark's own source, of the newest release that Maven has with all that it needs.
_JARS = {"4.0.5": "4.0.0", "4.1.4": "4.1.1", "4.2.1": "4.2.0", "4.3.0": "4.2.0"}
_SOURCE = "org.apache.spark:spark-sql-kafka-0-10_2.13:{}"
_NEEDED = (
    "spark-sql-kafka-",
    "spark-token-provider-kafka-",
    "kafka-clients-",
    "commons-pool2-",
)
_VERSION_2 = {"spark.sql.streaming.offsetLog.formatVersion": "2"}
_NAMES = {"spark.sql.streaming.queryEvolution.enableSourceEvolution": "true"}


def queries(spark: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """By name, what the program runs."""
    for kind, (store, conf) in product(KINDS, STORES.items()):
        if kind is not plain or not conf:
            yield (
                f"{kind.__name__}, {store}",
                {"pipeline": kind.__name__, "conf": conf, "named": False},
            )
    if spark >= "4.2":
        yield (
            "offset log 2",
            {"pipeline": "distinct", "conf": _VERSION_2, "named": False},
        )
        yield "named", {"pipeline": "distinct", "conf": _NAMES, "named": True}


@pytest.mark.matrix
@pytest.mark.parametrize("spark", SPARKS)
def test_a_union_continues_as_one_source_with_its_state(
    spark: str, wheel: Path, clusters: KafkaClusters, fresh_name: Callable[[str], str], tmp_path: Path
) -> None:
    two, topic = [clusters.get("a"), clusters.get("b")], fresh_name("topic")
    listing = FileListing(tmp_path / "streams.yaml")
    for cluster in two:
        cluster.create_topic(topic, partitions=2)
    listing.publish("orders", {cluster.name: on(cluster, topic) for cluster in two})
    chosen = dict(queries(spark))
    plan = {
        "clusters": {cluster.name: cluster.bootstrap_servers for cluster in two},
        "topic": topic,
        "streams": str(listing.path),
        "queries": chosen,
        "jars": [str(jar) for jar in jars_of(_SOURCE.format(_JARS[spark]), *_NEEDED)],
    }
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    for numbers in (range(20), range(15, 40)):
        write_numbers(two, topic, numbers)
        run("union", spark, wheel, tmp_path)
    for name, one in chosen.items():
        adopt(tmp_path / name, listing.path, named=one["named"])
    write_numbers(two, topic, range(30, 120))
    found = run("both", spark, wheel, tmp_path)
    assert {name: one["moved"] for name, one in found.items()} == {name: one["union"] for name, one in found.items()}
    assert all(one["moved"] for one in found.values()), found
    assert all(one["batches"][0] == one["batches"][1] > 0 for one in found.values()), found


def run(step: str, spark: str, wheel: Path, folder: Path) -> dict[str, Any]:
    python, variables = environment(Corner(spark, *NEEDED), wheel)
    variables["PYTHONPATH"] = str(ROOT)
    printed = printed_by([str(python), str(PROGRAM), str(folder), step], folder, variables, within=PATIENCE)
    return dict(json.loads(printed.splitlines()[-1]))


def adopt(folder: Path, streams: Path, *, named: bool) -> None:
    sources = ["--source", "a=a", "--source", "b=b"] if named else ["--source", "0=a", "--source", "1=b"]
    if named and not (folder / "old" / "offsets" / "1").read_text().startswith("v2"):
        sources = ["--source", "0=a", "--source", "1=b"]
        named = False
    command = [
        sys.executable,
        "-m",
        "dynamic_kafka.cli",
        "adopt",
        str(folder / "old"),
        str(folder / "new"),
    ]
    command += [
        "--streams",
        str(streams),
        *sources,
        *(["--name", "orders"] if named else []),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, (folder.name, ended.stderr)
