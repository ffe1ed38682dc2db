"""The workflow of hosted CI: it runs what a person runs, with few rights, and keeps what a failed test left.

That it has the form that the host wants is checked by `make check`.
"""

import re
from typing import Any

import yaml

from tests.cluster.fixtures import KEPT
from tests.matrix.corners import JAVAS, NEEDED, PYTHONS
from tests.readme import ROOT

FILE = ROOT / ".github" / "workflows" / "ci.yml"
WORKFLOW: dict[str, Any] = yaml.safe_load(FILE.read_text())
JOB = WORKFLOW["jobs"]["run"]


def step(action: str) -> dict[str, Any]:
    """What a step gives to an action."""
    (found,) = [one for one in JOB["steps"] if str(one.get("uses", "")).startswith(f"actions/{action}@")]
    given: dict[str, Any] = found["with"]
    return given


def test_it_runs_the_commands_that_a_person_runs_and_nothing_else() -> None:
    choice = JOB["strategy"]["matrix"]["command"]
    commands = re.findall(r'"([^"]+)"', choice)
    assert set(commands) == {".ci/run", "make matrix", "make wire"}
    makefile = (ROOT / "Makefile").read_text()
    assert all(f"\n{command.removeprefix('make ')}:" in makefile for command in commands if command.startswith("make "))
    assert [one["run"] for one in JOB["steps"] if "run" in one] == ["sudo apt-get update", "${{ matrix.command }}"]


def test_it_may_read_the_code_and_nothing_else() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "permissions" not in JOB
    assert "secrets" not in FILE.read_text()
    assert step("checkout")["persist-credentials"] is False


def test_each_action_is_of_one_exact_version() -> None:
    used = [one["uses"] for one in JOB["steps"] if "uses" in one]
    assert [one for one in used if not re.fullmatch(r"actions/[\w-]+@v\d+\.\d+\.\d+", one)] == []


def test_it_has_each_java_and_python_of_the_matrix_and_the_needed_ones_as_default() -> None:
    javas, pythons = step("setup-java")["java-version"].split(), step("setup-python")["python-version"].split()
    assert (sorted(javas), sorted(pythons)) == (sorted(JAVAS), sorted(PYTHONS))
    # Of several versions each of these actions takes the last as the default.
    assert (javas[-1], pythons[-1]) == NEEDED


def test_it_keeps_the_logs_of_failed_tests() -> None:
    assert KEPT.relative_to(ROOT).as_posix() in step("upload-artifact")["path"].split()


def test_a_newer_push_ends_only_runs_of_pull_requests() -> None:
    assert WORKFLOW["concurrency"]["cancel-in-progress"] == "${{ github.event_name == 'pull_request' }}"
    assert "github.ref" in WORKFLOW["concurrency"]["group"]
