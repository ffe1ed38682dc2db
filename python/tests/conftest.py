"""What tests of several modules share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

import pytest

from dynamic_kafka.cli import main

Run = Callable[..., tuple[int, str, str]]

# A Spark that a test starts lives for seconds, in which the optimizing compiler costs more than it saves.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


class Javas:
    """Those that commands ask. Each goes on until the tests end: to start one takes longer than all that it is asked.
    With one of its own for each command: tests/scenarios/test_command_line.py."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, ...], subprocess.Popen[bytes]] = {}

    @contextmanager
    def started(self, run: list[str], printed: IO[bytes]) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """One of this command and of the environment as it is now."""
        around = (f"{name}={value}" for name, value in sorted(os.environ.items()) if not name.startswith("PYTEST_"))
        key = (*run, *around)
        if key not in self._running:
            pipe = subprocess.PIPE
            self._running[key] = subprocess.Popen(run, stdin=pipe, stdout=pipe, stderr=printed)
        java = self._running[key]
        assert java.stdin is not None
        assert java.stdout is not None
        yield java.stdin, java.stdout

    def end(self) -> None:
        for java in self._running.values():
            java.communicate(timeout=30)


@pytest.fixture(scope="session")
def javas() -> Iterator[Javas]:
    running = Javas()
    yield running
    running.end()


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch, javas: Javas) -> None:
    """Whatever asks the jar asks one of these."""
    monkeypatch.setattr("dynamic_kafka._java._java_process", javas.started)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], java: None) -> Run:
    """Runs a command; its exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "400")

    def act(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dynamic-kafka", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return act
