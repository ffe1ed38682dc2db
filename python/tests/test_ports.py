"""Ports that are claimed for brokers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dynamic_kafka._brokers.ports import claim_port


def test_a_port_is_held_against_other_programs_and_needs_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    held = claim_port()
    try_it = f"from dynamic_kafka._brokers.ports import _lock; print(_lock({held.number}) is None)"
    other = subprocess.run([sys.executable, "-c", try_it], capture_output=True, text=True, check=True)
    assert other.stdout == "True\n"
    held.release()
    other = subprocess.run([sys.executable, "-c", try_it], capture_output=True, text=True, check=True)
    assert other.stdout == "False\n"
