"""`dynamic-kafka --version`: what a report of a problem asks for."""

from __future__ import annotations

from importlib import metadata

from conftest import Run


def test_the_version_is_that_of_the_installed_package(run: Run) -> None:
    assert run("--version") == (0, f"dynamic-kafka-spark {metadata.version('dynamic-kafka-spark')}\n", "")
