"""README.md's examples run as they stand there."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import dynamic_kafka
import pyspark
import pytest

from tests.cluster import KafkaCluster, KafkaClusters, eventually
from tests.readme import IN_FIRST, IN_SECOND, ROOT, Program, examples, orders_on, streams_files
from tests.wheel.environment import CLEAN

SPARK = Path(pyspark.__file__).parent / "bin"
WHILE_AWAY = 10
PATIENCE = 90
# Small, and nothing that two runs on one machine would quarrel over.
SPARK_ARGUMENTS = ("--master", "local[2]", "--conf", "spark.ui.enabled=false")


@pytest.fixture
def orders(clusters: KafkaClusters) -> Iterator[list[KafkaCluster]]:
    with orders_on(clusters) as pair:
        yield pair


def follow(program: Program, folder: Path, files: list[str]) -> None:
    """Plays the README's story with a program that runs one of its queries."""
    eventually("eu-1 is read", program.read_from, until=lambda seen: seen == {"eu-1": IN_FIRST}, within=PATIENCE)
    replace(folder / "streams.yaml", files[1])
    both = {"eu-1": IN_FIRST, "eu-2": IN_SECOND}
    eventually("eu-2 is read, too", program.read_from, until=lambda seen: seen == both, within=PATIENCE)


def leave_and_return(program: Program, folder: Path, file: str, orders: list[KafkaCluster]) -> None:
    """Takes eu-1 out of the file, and lists it again once the checkpoint knows of its removal."""
    old, new = orders
    entry = re.compile(r"    - clusterId: eu-1\n(?:      .*\n)+")
    replace(folder / "streams.yaml", entry.sub("", file))
    written = Counter({"eu-1": IN_FIRST, "eu-2": IN_SECOND})

    def removed() -> bool:
        written["eu-2"] += new.produce("orders", [(None, "a record, for a batch that notes the removal")])
        offsets = sorted(folder.glob("orders-checkpoint/offsets/[0-9]*"), key=lambda path: int(path.name))
        return '"removed"' in offsets[-1].read_text()

    eventually("the checkpoint knows that eu-1 was removed", removed, within=PATIENCE, every=1)
    written["eu-1"] += old.produce("orders", [(None, f"while away {n}") for n in range(WHILE_AWAY)])
    replace(folder / "streams.yaml", file)
    eventually("eu-1 resumes", program.read_from, until=lambda seen: seen == written, within=PATIENCE)


def replace(path: Path, text: str) -> None:
    draft = path.with_suffix(".new")
    draft.write_text(text)
    draft.replace(path)


def test_the_python_query_follows_the_file_without_a_restart_and_runs_from_the_wheel(
    environment: Path, orders: list[KafkaCluster], tmp_path: Path
) -> None:
    files = streams_files(orders)
    replace(tmp_path / "streams.yaml", files[0])
    (script,) = examples("python")
    (tmp_path / "example.py").write_text(script)
    with Program([str(environment), "example.py"], tmp_path, CLEAN) as program:
        follow(program, tmp_path, files)
        leave_and_return(program, tmp_path, files[1], orders)


def test_the_scala_query_does_the_same(orders: list[KafkaCluster], tmp_path: Path) -> None:
    files = streams_files(orders)
    replace(tmp_path / "streams.yaml", files[0])
    (script,) = examples("scala")
    (tmp_path / "example.scala").write_text(script)
    shell = [str(SPARK / "spark-shell"), *SPARK_ARGUMENTS, "--jars", str(dynamic_kafka.jar_path())]
    with Program([*shell, "-i", "example.scala"], tmp_path) as program:
        follow(program, tmp_path, files)


def test_the_table_is_counted_in_sql(orders: list[KafkaCluster], tmp_path: Path) -> None:
    replace(tmp_path / "streams.yaml", streams_files(orders)[1])
    (script,) = examples("sql")
    (tmp_path / "example.sql").write_text(script)
    shell = [str(SPARK / "spark-sql"), *SPARK_ARGUMENTS, "--jars", str(dynamic_kafka.jar_path())]
    in_memory = ["--conf", "spark.sql.catalogImplementation=in-memory"]
    with Program([*shell, *in_memory, "-f", "example.sql"], tmp_path) as program:
        assert program.end(within=PATIENCE) == 0, program.printed()
        assert {"eu-1\t100", "eu-2\t50"} <= set(program.printed().splitlines())


def test_what_the_readme_links_to_and_each_make_target_it_names_is_there() -> None:
    text = (ROOT / "README.md").read_text()
    links = re.findall(r"\]\((.+?)\)", text)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
    targets = re.findall(r"(?:`|^)(?:\w+=\w+ )?make ([a-z-]+)", text, re.MULTILINE)
    assert {"demo", "test"} <= set(targets)
    makefile = (ROOT / "Makefile").read_text()
    assert [target for target in targets if f"\n{target}:" not in makefile] == []
