"""docs/start.md: a test does what each step says, and sees what the page shows."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import dynamic_kafka
import pyspark
import pytest

from tests.cluster import KafkaCluster, eventually
from tests.readme import (
    IN_FIRST,
    IN_SECOND,
    START,
    Program,
    Steps,
    examples,
    printed_by,
    replace,
    streams_files,
)
from tests.wheel.environment import CLEAN

SPARK = Path(pyspark.__file__).parent / "bin"
WHILE_AWAY = 10
PATIENCE = 90
# Small, and nothing that two runs on one machine would quarrel over.
SPARK_ARGUMENTS = ("--master", "local[2]", "--conf", "spark.ui.enabled=false")


class Terminal:
    """The reader's second terminal, in the folder of the query."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def types(self, console: str) -> None:
        """Types the commands of a block, each until it prints what the page shows."""
        parts = re.split(r"^\$ (.*)\n", console, flags=re.MULTILINE)
        for command, shown in zip(parts[1::2], parts[2::2], strict=True):
            self._types(command.split(), settled(shown))

    def _types(self, words: list[str], wanted: list[str]) -> None:
        if words[0] == "mv":
            subprocess.run(words, cwd=self._folder, check=True)
            return
        assert words[0] == "dynamic-kafka"
        eventually(" ".join(words), lambda: self._printed(words[1:]), until=wanted.__eq__, within=PATIENCE, every=1)

    def _printed(self, arguments: list[str]) -> list[str]:
        run = [sys.executable, "-m", "dynamic_kafka.cli", *arguments]
        wide = {**os.environ, "COLUMNS": "80"}
        ended = subprocess.run(run, cwd=self._folder, env=wide, capture_output=True, text=True, check=False)
        return settled(ended.stdout + ended.stderr)


def settled(text: str) -> list[str]:
    """The lines of a table without what differs from run to run: ages, counts as old as that, and widths."""
    text = re.sub(r"(running +)\d+ +\d+ s\b", r"\1 0 0 s", text)
    return [re.sub(r"([ ─━])\1+", r"\1", line.strip()) for line in text.splitlines() if line.strip()]


def reads(program: Program, **by_cluster: int) -> None:
    wanted = {name.replace("_", "-"): count for name, count in by_cluster.items()}
    eventually(f"{wanted} are read", program.read_from, until=wanted.__eq__, within=PATIENCE)


@pytest.mark.slow
def test_the_python_query_follows_the_file_without_a_restart_and_runs_from_the_wheel(
    environment: Path, orders: list[KafkaCluster], tmp_path: Path
) -> None:
    steps, terminal = Steps(START, orders), Terminal(tmp_path)
    old, new = orders
    steps.take("sh")  # what it installs: see test_readme.py
    (tmp_path / "streams.yaml").write_text(steps.take("yaml"))
    terminal.types(steps.take("console"))
    (tmp_path / "query.py").write_text(steps.take("python"))
    steps.take("scala")  # the same query: see the test below
    steps.take("java")
    with Program([str(environment), "query.py"], tmp_path, CLEAN) as program:
        reads(program, eu_1=IN_FIRST)
        terminal.types(steps.take("console"))
        both = steps.take("yaml")
        (tmp_path / "new.yaml").write_text(both)
        terminal.types(steps.take("console"))
        terminal.types(steps.take("console"))
        reads(program, eu_1=IN_FIRST, eu_2=IN_SECOND)
        terminal.types(steps.take("console"))

        without_eu_1 = steps.take("yaml")
        (tmp_path / "new.yaml").write_text(without_eu_1)
        terminal.types(steps.take("console"))
        terminal.types(steps.take("console"))
        replace(tmp_path / "streams.yaml", re.sub(r"    - clusterId: eu-1\n(?:      .*\n)+", "", without_eu_1))
        new.produce("orders", [(None, "without eu-1")])
        reads(program, eu_1=IN_FIRST, eu_2=IN_SECOND + 1)

        old.produce("orders", [(None, f"while away {n}") for n in range(WHILE_AWAY)])
        replace(tmp_path / "streams.yaml", both)
        reads(program, eu_1=IN_FIRST + WHILE_AWAY, eu_2=IN_SECOND + 1)
    new.produce("orders", [(None, "while stopped")])
    with Program([str(environment), "query.py"], tmp_path, CLEAN) as program:
        reads(program, eu_1=IN_FIRST + WHILE_AWAY, eu_2=IN_SECOND + 2)
    assert steps.left() == ["sql"], "see the test below"


def in_scala() -> list[str]:
    return [str(SPARK / "spark-shell"), *SPARK_ARGUMENTS, "--jars", str(dynamic_kafka.jar_path()), "-i", "query.scala"]


def in_java() -> list[str]:
    """As a project does: a jar, submitted to Spark with the source beside it."""
    jar = dynamic_kafka.jar_path()
    made = (
        f"javac -cp '{SPARK.parent}/jars/*:{jar}' -d classes Query.java && jar --create --file query.jar -C classes ."
    )
    submitted = f"exec {SPARK / 'spark-submit'} {' '.join(SPARK_ARGUMENTS)} --jars {jar} --class Query query.jar"
    return ["bash", "-c", f"{made} && {submitted}"]


# The same steps as in Python. To compile and to start takes up to half a minute.
@pytest.mark.matrix
@pytest.mark.parametrize(("file", "command"), [("query.scala", in_scala), ("Query.java", in_java)])
def test_the_query_in_another_language_does_the_same(
    file: str, command: Callable[[], list[str]], orders: list[KafkaCluster], tmp_path: Path
) -> None:
    files, terminal = streams_files(orders, START), Terminal(tmp_path)
    replace(tmp_path / "streams.yaml", files[0])
    (script,) = examples(file.rpartition(".")[2], START)
    (tmp_path / file).write_text(script)
    running = next(one for one in examples("console", START) if "status" in one)
    with Program(command(), tmp_path) as program:
        reads(program, eu_1=IN_FIRST)
        terminal.types(running)
        replace(tmp_path / "streams.yaml", files[1])
        reads(program, eu_1=IN_FIRST, eu_2=IN_SECOND)


@pytest.mark.matrix
def test_the_table_is_counted_in_sql(orders: list[KafkaCluster], tmp_path: Path) -> None:
    replace(tmp_path / "streams.yaml", streams_files(orders, START)[1])
    (script,) = examples("sql", START)
    (tmp_path / "example.sql").write_text(script)
    shell = [str(SPARK / "spark-sql"), *SPARK_ARGUMENTS, "--jars", str(dynamic_kafka.jar_path())]
    in_memory = ["--conf", "spark.sql.catalogImplementation=in-memory"]
    printed = printed_by([*shell, *in_memory, "-f", "example.sql"], tmp_path, within=PATIENCE)
    assert {"eu-1\t100", "eu-2\t50"} <= set(printed.splitlines())
