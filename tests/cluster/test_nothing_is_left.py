"""No broker outlives its owner, however that ends, and no folder an owner that ends in order."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cluster import KafkaClusters, eventually

ROOT = Path(__file__).resolve().parents[2]
OWNER = """
import sys, time
from pathlib import Path
from tests.cluster import KafkaClusters
clusters = KafkaClusters(Path(sys.argv[1]))
clusters.start("orphan")
print("up", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def owner(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that has a cluster up and holds on to it."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
        process.kill()


def below(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


@pytest.mark.slow
def test_no_broker_outlives_an_owner_that_is_killed(owner: "subprocess.Popen[str]") -> None:
    left = below(owner)
    assert any(process.name() == "java" for process in left)
    owner.send_signal(signal.SIGKILL)
    eventually("supervisor and broker are gone", lambda: not any(one.is_running() for one in left), within=10)


def test_no_broker_outlives_a_supervisor_that_is_killed(owner: "subprocess.Popen[str]") -> None:
    left = below(owner)
    broker = next(one for one in left if one.name() == "java")
    next(one for one in left if one.name() != "java").kill()
    eventually("the broker is gone", lambda: not broker.is_running(), within=10)


def test_closing_ends_brokers_and_removes_files(tmp_path: Path) -> None:
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    with KafkaClusters(tmp_path) as clusters:
        (one,) = clusters.start("one")
        clusters.keep_logs(tmp_path / "kept")
    assert {process.pid for process in psutil.Process().children(recursive=True)} <= before
    assert list(tmp_path.glob("run-*")) == []
    # A broker answers before it logs that it has started.
    assert "Awaiting socket connections" in (tmp_path / "kept" / "one.log").read_text()
    assert not one.is_up()
