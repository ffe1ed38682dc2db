"""`dynamic-kafka validate`: what it finds without a broker, and what it needs to look at all."""

from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path

import pytest
from conftest import Run
from streams_files import ORDERS, dead_address, put

BROKEN = """- streamId: orders
  clusterMetadataList:
    - {clusterId: eu-1, bootstrapServers: "b1:9092", topics: [orders], colour: red}
    - {clusterId: eu-2, bootstrapServers: "b2:9092"}
- streamId: refunds
  clusterMetadataList:
    - clusterId: us-1
      bootstrapServers: u1:9092
      topics: ["re funds"]
      properties: {enable.auto.commit: s3cret}
"""


def test_a_good_file_is_exit_code_0(run: Run, tmp_path: Path) -> None:
    code, out, err = run("validate", put(tmp_path, ORDERS))
    assert (code, err) == (0, "")
    assert "good, 1 stream on 2 clusters." in out


def test_all_problems_come_at_once_with_line_stream_cluster_and_field_and_without_values(
    run: Run, tmp_path: Path
) -> None:
    code, out, err = run("validate", put(tmp_path, BROKEN), "--json")
    assert (code, err) == (1, "")
    problems = json.loads(out)["problems"]
    assert [one["line"] for one in problems] == [3, 4, 7, 7]
    assert problems[0]["stream"] == "orders"
    assert problems[0]["field"] == "clusterMetadataList[0].colour"
    assert problems[1]["field"] == "clusterMetadataList[1].topics"
    assert problems[2]["cluster"] == problems[3]["cluster"] == "us-1"
    assert "enable.auto.commit is refused" in problems[2]["text"]
    assert '"re funds" is not a valid topic name' in problems[3]["text"]
    assert "s3cret" not in out


def test_each_problem_is_printed_with_file_and_line(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, BROKEN)
    code, out, _err = run("validate", path, "--connect")
    assert code == 1
    assert f"{path}, line 3: problem" in out
    assert "stream orders, field clusterMetadataList[0].colour: there is no such field" in out
    assert "not asked, because the file can't be used" in out
    assert f"{path}: 4 problems." in out


def test_what_only_the_driver_can_resolve_is_a_warning_and_a_property_that_nobody_knows_is_one_too(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    properties = "properties: {sasl.jaas.config: '${env:NO_SUCH}', sasl.mechansim: PLAIN, my.own.plugin: x}"
    path = put(tmp_path, ORDERS.replace("topics: [orders]}", f"topics: [orders], {properties}}}"))
    code, out, _err = run("validate", path)
    assert code == 0
    assert "${env:NO_SUCH} can't be resolved on this machine" in out
    assert "no client of Kafka's has a property sasl.mechansim: is it sasl.mechanism?" in out
    assert "my.own.plugin" not in out
    assert "2 warnings" in out
    monkeypatch.setenv("NO_SUCH", "here")
    assert "1 warning." in run("validate", path)[1]


def test_a_file_may_come_by_stdin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ORDERS.encode())))
    assert run("validate", "-")[0] == 0


def test_a_cluster_that_does_not_answer_is_a_row_with_its_cause_and_the_limit_holds(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, ORDERS.replace("b1:9092", dead_address()).replace("u1:9092", "nowhere.invalid:9092"))
    code, out, err = run("validate", path, "--connect", "--timeout", "2s", "--json")
    clusters = json.loads(out)["clusters"]
    assert (code, err) == (1, "")
    assert [(one["cluster"], one["brokers"]) for one in clusters] == [("eu-1", False), ("us-1", False)]
    assert {one["problems"][0]["condition"] for one in clusters} == {"DYNAMIC_KAFKA_CLUSTER_UNREACHABLE"}
    assert "no answer within 2s" in clusters[0]["problems"][0]["text"]


def test_clusters_that_do_not_answer_are_waited_for_side_by_side(run: Run, tmp_path: Path) -> None:
    dead = "".join(
        f"\n    - {{clusterId: dead-{n}, bootstrapServers: '{dead_address()}', topics: [orders]}}" for n in range(20)
    )
    path = put(tmp_path, f"- streamId: orders\n  clusterMetadataList:{dead}\n")
    began = time.monotonic()
    code, out, _err = run("validate", path, "--connect", "--timeout", "1s", "--json")
    took = time.monotonic() - began
    clusters = json.loads(out)["clusters"]
    assert (code, len(clusters), {one["brokers"] for one in clusters}) == (1, 20, {False})
    assert took < 20, "as long as one after the other would take"


def test_a_cluster_whose_secret_is_not_here_is_not_asked(run: Run, tmp_path: Path) -> None:
    secret = "properties: {sasl.jaas.config: '${env:NO_SUCH}'}"
    text = ORDERS.replace("topics: [orders]}", f"topics: [orders], {secret}}}").replace("u1:9092", dead_address())
    code, out, _err = run("validate", put(tmp_path, text), "--connect", "--timeout", "1s", "--json")
    assert code == 1
    first = json.loads(out)["clusters"][0]
    assert (first["cluster"], first["problems"][0]["condition"]) == ("eu-1", "DYNAMIC_KAFKA_INVALID_METADATA")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.yaml"], "nowhere.yaml can't be read"),
        (["--timeout", "soon", "nowhere.yaml"], "can't be read"),
        (["hdfs://nowhere/streams.yaml"], "can't be read"),
    ],
)
def test_what_can_not_be_looked_at_is_exit_code_2(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run("validate", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("pair", ["x", "=y"])
def test_an_option_that_is_no_pair_and_a_timeout_that_is_none_are_refused(run: Run, tmp_path: Path, pair: str) -> None:
    path = put(tmp_path, ORDERS)
    assert "is not KEY=VALUE" in run("validate", path, "-o", pair)[2]
    assert "takes options of Kafka's clients alone" in run("validate", path, "-o", "streamIds=a")[2]
    assert "--timeout 10: it has no unit" in run("validate", path, "--timeout", "10")[2]


def test_without_java_or_sparks_libraries_it_says_what_to_install(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, ORDERS)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    code, _out, err = run("validate", path)
    assert code == 2
    assert f"JAVA_HOME is {tmp_path}, where there is no bin/java" in err
    monkeypatch.delenv("JAVA_HOME")
    with monkeypatch.context() as nothing:
        nothing.setenv("PATH", "")
        assert "needs Java 17 or newer" in run("validate", path)[2]
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    code, out, _err = run("validate", path, "--json")
    assert code == 2
    error = json.loads(out)["error"]
    assert error["condition"] == "DYNAMIC_KAFKA_NO_JAVA"
    assert "pip install 'dynamic-kafka-spark[cli,pyspark]'" in error["message"]


def test_a_java_that_breaks_is_exit_code_2_without_its_trace(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'Error: UnsupportedClassVersionError: x' >&2\necho '\tat x.y' >&2\nexit 1\n")
    java.chmod(0o700)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    code, _out, err = run("validate", put(tmp_path, ORDERS))
    assert code == 2
    assert "is too old: Java 17 or newer is needed" in err
    assert "at x.y" not in err
