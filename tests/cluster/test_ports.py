"""Ports that are claimed for brokers."""

import subprocess
import sys

import pytest

from tests.cluster.ports import claim_port
from tests.readme import ROOT


def test_a_port_is_held_against_other_programs_and_needs_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    held = claim_port()
    try_it = f"from tests.cluster.ports import _lock; print(_lock({held.number}) is None)"
    other = subprocess.run([sys.executable, "-c", try_it], capture_output=True, text=True, check=True, cwd=ROOT)
    assert other.stdout == "True\n"
    held.release()
    other = subprocess.run([sys.executable, "-c", try_it], capture_output=True, text=True, check=True, cwd=ROOT)
    assert other.stdout == "False\n"
