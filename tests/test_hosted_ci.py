"""The workflows of hosted CI: they run what a person runs, with few rights, and keep what a failed test left.

That they have the form that the host wants is checked by `make check`.
"""

import json
import re
from typing import Any

import pytest
import yaml

from tests.cluster.fixtures import KEPT
from tests.matrix.corners import JAVAS, NEEDED, PYTHONS
from tests.readme import ROOT
from tests.test_makefile import targets

FOLDER = ROOT / ".github" / "workflows"
TEXTS = {file.stem: file.read_text() for file in FOLDER.iterdir()}
WORKFLOWS: dict[str, dict[str, Any]] = {name: yaml.safe_load(text) for name, text in TEXTS.items()}
JOB = WORKFLOWS["run"]["jobs"]["run"]
STEPS = [step for workflow in WORKFLOWS.values() for job in workflow["jobs"].values() for step in job.get("steps", [])]
# What the workflows need not run.
ELSEWHERE = {
    "scala": "a part of `make test`",
    "python": "a part of `make test`",
    "e2e": "a part of `make test`",
    "bench": "`make bench-quick` for an hour, on a quiet machine",
    "compat": "what it has written once is never written again",
}


def step(action: str) -> dict[str, Any]:
    """What a step gives to an action."""
    (found,) = [one for one in JOB["steps"] if str(one.get("uses", "")).startswith(f"actions/{action}@")]
    given: dict[str, Any] = found["with"]
    return given


def commands(workflow: str) -> list[str]:
    """What a workflow has run, each on a machine of its own; the longest list if that depends."""
    lists = re.findall(r"\[[^\[\]]*\]", WORKFLOWS[workflow]["jobs"]["run"]["with"]["commands"])
    found: list[str] = json.loads(max(lists, key=len))
    return found


def reached() -> set[str]:
    """The targets of make in these commands, and in the scripts among them."""
    every = [*commands("ci"), *commands("nightly")]
    scripts = [(ROOT / one).read_text() for one in every if one.startswith(".ci/")]
    lines = [line for text in [*every, *scripts] for line in text.splitlines()]
    return {word for line in lines if line.startswith("make ") for word in line.split()[1:] if "=" not in word}


def test_each_target_of_make_is_run_by_ci_or_at_night() -> None:
    assert targets() - reached() == ELSEWHERE.keys()
    assert reached() <= targets()


def test_a_pull_request_gets_what_a_person_does_before() -> None:
    assert commands("ci") == [".ci/run", "make matrix", "make wire"]
    assert "github.event_name == 'pull_request' && '[\".ci/run\"]'" in TEXTS["ci"]
    assert [one["run"] for one in JOB["steps"] if "run" in one] == ["sudo apt-get update", "${{ matrix.command }}"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_read_the_code_and_nothing_else(name: str) -> None:
    assert WORKFLOWS[name]["permissions"] == {"contents": "read"}
    assert "secrets" not in TEXTS[name]
    # The registry of Python takes an upload by who this is, without a password.
    more = {"publish-python": [{"contents": "read", "id-token": "write"}]}
    granted = [job["permissions"] for job in WORKFLOWS[name]["jobs"].values() if "permissions" in job]
    assert granted == more.get(name, [])


def test_no_checkout_leaves_a_token_behind() -> None:
    taken = [one["with"] for one in STEPS if one.get("uses", "").startswith("actions/checkout@")]
    assert [one for one in taken if one["persist-credentials"] is not False] == []


def test_each_action_is_pinned_by_its_digest_and_says_its_version() -> None:
    used = [line for text in TEXTS.values() for line in re.findall(r"uses: (.+)", text)]
    pinned = re.compile(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert {line for line in used if not pinned.fullmatch(line)} == {"./.github/workflows/run.yml"}
    # One version of each in all workflows.
    actions = {line.partition("@")[0]: line for line in used}
    assert {line for line in used if actions[line.partition("@")[0]] != line} == set()


def test_it_has_each_java_and_python_of_the_matrix_and_the_needed_ones_as_default() -> None:
    javas, pythons = step("setup-java")["java-version"].split(), step("setup-python")["python-version"].split()
    assert (sorted(javas), sorted(pythons)) == (sorted(JAVAS), sorted(PYTHONS))
    # Of several versions each of these actions takes the last as the default.
    assert (javas[-1], pythons[-1]) == NEEDED


def test_it_keeps_the_logs_of_failed_tests() -> None:
    assert KEPT.relative_to(ROOT).as_posix() in step("upload-artifact")["path"].split()


def test_a_newer_push_ends_only_runs_of_pull_requests() -> None:
    concurrency = WORKFLOWS["ci"]["concurrency"]
    assert concurrency["cancel-in-progress"] == "${{ github.event_name == 'pull_request' }}"
    assert "github.ref" in concurrency["group"]


def test_what_is_pinned_is_proposed_anew_when_others_release() -> None:
    updates = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text())["updates"]
    places = {place for one in updates for place in one.get("directories", [one.get("directory")])}
    folders = [ROOT / name for name in ("python", "docs", "examples")]
    pinned = {file.parent for folder in folders for file in folder.rglob("requirements*.txt")}
    assert {f"/{folder.relative_to(ROOT)}" for folder in pinned} | {"/"} == places
    assert {one["package-ecosystem"] for one in updates} == {"github-actions", "pip", "sbt"}
