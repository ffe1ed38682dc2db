"""``python -m dynamic_kafka.demo`` from the wheel alone: two real clusters, a stream that moves, each order once."""

import re
from pathlib import Path

import psutil
import pytest

from tests.cluster import eventually
from tests.readme import Program, printed_by
from tests.wheel.environment import CLEAN, install

PATIENCE = 300


def demo(python: Path, folder: Path, **variables: str) -> tuple[list[str], Path, dict[str, str]]:
    """What runs it, where, and with which variables."""
    return [str(python), "-m", "dynamic_kafka.demo"], folder, {**CLEAN, "TMPDIR": str(folder), **variables}


@pytest.mark.slow
def test_the_demo_moves_a_stream_and_each_order_comes_once(environment: Path, tmp_path: Path) -> None:
    printed = printed_by(*demo(environment, tmp_path), within=PATIENCE)
    assert re.search(r"[1-9][\d,]* orders were written, [1-9][\d,]* rows came out of the query", printed)
    assert "Each order came exactly once, from the cluster that it was written to." in printed
    story = re.findall(r"^ *[\d.]+ s  (.*)$", printed, re.MULTILINE)
    says = [line for line in story if line.startswith("streams.yaml says")]
    assert [line.partition(" is on ")[2] for line in says] == ["eu-1", "eu-1 and eu-2", "eu-2"]
    assert any(line.startswith("the query saw") and "vanished=eu-1" in line for line in story)
    assert re.search(r"^eu-1 +no +draining ", printed, re.MULTILINE)
    assert [file.name for file in tmp_path.glob("dynamic-kafka-demo-*")] == []


@pytest.mark.slow
def test_ctrl_c_ends_all_that_it_started_and_leaves_nothing(environment: Path, tmp_path: Path) -> None:
    with Program(*demo(environment, tmp_path)) as program:
        eventually("the query runs", lambda: "the first order came" in program.printed(), within=PATIENCE)
        (folder,) = tmp_path.glob("dynamic-kafka-demo-*")
        assert len(of(folder)) >= 2
        program.signal("SIGINT")
        assert program.end(within=PATIENCE) == 130
        assert program.printed().endswith("\nStopped.\n")
        eventually("no process is left", lambda: of(folder), until=lambda left: not left, within=30)
        assert not folder.exists()


def test_without_spark_or_java_it_says_what_is_lacking(environment: Path, wheel: Path, tmp_path: Path) -> None:
    printed = printed_by(*demo(environment, tmp_path, JAVA_HOME=str(tmp_path)), within=PATIENCE, code=2)
    assert printed.startswith(f"\nThe demo can't run. [DYNAMIC_KAFKA_NO_JAVA] JAVA_HOME is {tmp_path}")
    alone = tmp_path / "alone"
    install(environment, wheel, "--target", str(alone))
    without_packages = [str(environment), "-S", "-m", "dynamic_kafka.demo"]
    printed = printed_by(without_packages, tmp_path, {**CLEAN, "PYTHONPATH": str(alone)}, within=PATIENCE, code=2)
    assert "There is no PySpark. Install it: pip install 'dynamic-kafka-spark[pyspark]'" in printed


def of(folder: Path) -> list[int]:
    """The processes whose command names the folder."""
    found = psutil.process_iter(["cmdline"])
    return [one.pid for one in found if any(str(folder) in part for part in one.info["cmdline"] or ())]
