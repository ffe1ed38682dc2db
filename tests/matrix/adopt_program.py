"""Queries of one version of Spark, which move from a union of Spark's own source to one of ours with their state.

``adopt_program.py FOLDER STEP`` finds ``plan.json`` in the folder: `clusters` (addresses by name), `topic`, `streams`
(a file), `jars` (of Spark's own source), and `queries`, by name: `pipeline`, `conf`, and `named`. The step `union` runs
each query on Spark's own source, with the checkpoint ``<name>/old``. The step `both` runs it on ours too, with
``<name>/new``. The last line that it prints is a JSON object: by query, what both have read in this step, and the first
batch of each.
"""

import json
import sys
from pathlib import Path

from dynamic_kafka import configure_spark
from pyspark.sql import SparkSession

from tests.scenarios import unions

folder = Path(sys.argv[1])
plan = json.loads((folder / "plan.json").read_text())


def main() -> None:
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.jars", ",".join(plan["jars"]))
    spark = configure_spark(builder).getOrCreate()
    found = {name: step(spark, name, one) for name, one in plan["queries"].items()}
    spark.stop()
    print(json.dumps(found, default=str))


def step(spark: SparkSession, name: str, one: dict[str, object]) -> dict[str, object]:
    pipeline = next(kind for kind in unions.KINDS if kind.__name__ == one["pipeline"])
    union, moved = (
        unions.Query(spark, plan["clusters"], plan["topic"], pipeline, named=bool(one["named"])) for _ in range(2)
    )
    conf: dict[str, str] = one["conf"]  # type: ignore[assignment]
    for key, value in conf.items():
        spark.conf.set(key, value)
    union.sparks(folder / name / "old")
    if sys.argv[2] == "both":
        moved.ours(folder / name / "new", Path(plan["streams"]))
    for key in conf:
        spark.conf.unset(key)
    return {
        "union": text(union),
        "moved": text(moved),
        "batches": [min(one.batches, default=None) for one in (union, moved)],
    }


def text(query: unions.Query) -> list[str]:
    found = query.outcome()
    return sorted(map(str, found.items() if isinstance(found, dict) else found))


if __name__ == "__main__":
    main()
