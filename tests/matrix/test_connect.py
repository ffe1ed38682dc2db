"""Over Spark Connect, where the driver is another process: the jar gets there, and a Python object does not."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dynamic_kafka
import pytest
from dynamic_kafka._brokers.ports import claim_port
from dynamic_kafka._brokers.supervised import Supervised

from tests.chaos.spark_cluster import SparkCluster
from tests.cluster import NotYet, eventually
from tests.matrix.corners import SPARKS, python_with, spark_folder
from tests.readme import ROOT, printed_by
from tests.scenarios.spark_programs import SmallStream

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
PATIENCE = 120


@contextmanager
def server(spark: str, folder: Path, *arguments: str) -> Iterator[str]:
    """A Connect server of this version of Spark: how it is reached."""
    home = spark_folder(spark) / "pyspark"
    port = claim_port()
    at = {"spark.connect.grpc.binding.port": port.number, "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1"}
    settings = [word for key, value in at.items() for word in ("--conf", f"{key}={value}")]
    command = [str(home / "bin" / "spark-submit"), "--class", SERVER, "--master", "local[2]", *settings, *arguments]
    process = Supervised(command, folder / "server.txt", {"SPARK_HOME": str(home), "PYSPARK_SUBMIT_ARGS": ""})
    try:
        eventually("the server answers", lambda: reach(port.number, process, folder), within=PATIENCE)
        yield f"sc://127.0.0.1:{port.number}"
    finally:
        process.kill()
        port.release()


def reach(port: int, process: Supervised, folder: Path) -> bool:
    if not process.runs():
        raise RuntimeError(f"The server ended:\n{(folder / 'server.txt').read_text()[-4000:]}")
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError as refused:
        raise NotYet(str(refused)) from refused
    return True


@pytest.mark.matrix
@pytest.mark.parametrize("spark", SPARKS)
@pytest.mark.parametrize("way", ["load brings the jar", "the server has the jar"])
def test_rows_come_over_connect_and_a_python_service_is_refused(
    spark: str, way: str, wheel: Path, small: SmallStream, tmp_path: Path
) -> None:
    jars = ("--jars", str(dynamic_kafka.jar_path())) if way == "the server has the jar" else ()
    read_over_connect(spark, wheel, small, tmp_path, *jars)


@pytest.mark.matrix
@pytest.mark.parametrize("spark", SPARKS)
def test_load_brings_the_jar_to_the_executors_of_a_standalone_cluster_behind_connect(
    spark: str, wheel: Path, small: SmallStream, tmp_path: Path
) -> None:
    with SparkCluster(tmp_path / "spark", workers=1, home=spark_folder(spark) / "pyspark") as cluster:
        read_over_connect(spark, wheel, small, tmp_path, "--master", cluster.master, "--executor-memory", "600m")


def read_over_connect(spark: str, wheel: Path, small: SmallStream, folder: Path, *arguments: str) -> None:
    """Starts a server with these arguments, and looks at what an application reads there."""
    python = python_with("connect", spark, wheel)
    program = ROOT / "tests" / "matrix" / "connected_program.py"
    with server(spark, folder / "server", *arguments) as remote:
        command = [str(python), str(program), remote, str(small.streams), small.stream_id, str(folder / "read")]
        found = json.loads(printed_by(command, folder, {"PYTHONPATH": ""}, within=PATIENCE).splitlines()[-1])
    assert found == {
        "batch": small.values,
        "query": small.values,
        "clusters": ["a", "b"],
        "refused": "DYNAMIC_KAFKA_UNSUPPORTED_ON_CONNECT",
        "wrong": "maxOffsetsPerTrigger",
    }
