"""On executors of their own: they get what it takes to read, and show none of it."""

import json
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from dynamic_kafka import ClusterMetadata

from tests.chaos.spark_cluster import SparkCluster
from tests.cluster import KafkaCluster
from tests.readme import ROOT
from tests.scenarios import shown_places
from tests.scenarios.conftest import Name
from tests.scenarios.listing import FileListing
from tests.scenarios.planted import Planted
from tests.scenarios.producing import write
from tests.scenarios.secured import PLAIN
from tests.scenarios.session import KAFKA_PASSWORD, PLANTED


@pytest.mark.long
def test_a_secret_is_in_no_file_of_executors_and_workers_and_kafkas_providers_work_there(
    a: KafkaCluster,
    guarded: KafkaCluster,
    file: FileListing,
    fresh_name: Name,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topic, program = fresh_name("topic"), tmp_path / "program"
    program.mkdir()
    expected = []
    for cluster in (a, guarded):
        cluster.create_topic(topic)
        expected += write(cluster, topic, cluster.name)
    # A variable of the driver's environment alone.
    monkeypatch.delenv(PLANTED, raising=False)
    with SparkCluster(tmp_path / "spark", workers=1) as spark:
        monkeypatch.setenv(PLANTED, f"planted-{uuid.uuid4().hex}")
        planted = Planted(tmp_path)
        file.publish(
            planted.control, {planted.control: planted.on(a, topic), "guarded": by_provider(guarded, topic, tmp_path)}
        )
        command = [sys.executable, "-m", "tests.scenarios.executors_program", str(file.path), planted.control]
        done = subprocess.run(
            [*command, str(program), spark.master], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr[-4000:]
    assert json.loads(done.stdout.splitlines()[-1]) == sorted(expected)
    texts = {
        "driver's log": (program / "spark.log").read_text(),
        "event log": shown_places.files(program / "events"),
        "executors' files": shown_places.files(tmp_path / "spark" / "work-0"),
        "worker's log": (tmp_path / "spark" / "worker-0.txt").read_text(),
        "master's log": (tmp_path / "spark" / "master.txt").read_text(),
    }
    assert {place: planted.found(text) for place, text in texts.items() if planted.found(text)} == {}
    assert [place for place, text in texts.items() if not planted.shows(text)] == [], "the search finds the control"
    assert "DEBUG" in texts["executors' files"]
    assert planted.found(done.stdout + done.stderr) == []


def by_provider(guarded: KafkaCluster, topic: str, folder: Path) -> ClusterMetadata:
    """The login from a file that driver and executors read each for themselves."""
    (folder / "kafka.properties").write_text(f"password={KAFKA_PASSWORD}\n")
    return ClusterMetadata(
        [topic],
        {
            "bootstrap.servers": guarded.secure_address("PLAIN"),
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": PLAIN.format(user="reader", password=f"${{file:{folder}/kafka.properties:password}}"),
            "config.providers": "file",
            "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
        },
    )
