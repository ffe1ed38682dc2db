"""What tests of several modules share."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from dynamic_kafka.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command; its exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "400")

    def act(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dynamic-kafka", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return act
