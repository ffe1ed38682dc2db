"""`docs/reference/diff-workflow.yml`: it has the form that the host wants, and its step fails for a removal."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.readme import ROOT

WORKFLOW = ROOT / "docs" / "reference" / "diff-workflow.yml"
_BIN = Path(sys.executable).parent
_OLD = """- streamId: orders
  clusterMetadataList:
    - {clusterId: eu-1, bootstrapServers: "b1:9092", topics: [orders, returns]}
"""


def test_it_is_a_workflow() -> None:
    check = [str(_BIN / "check-jsonschema"), "--builtin-schema", "vendor.github-workflows", str(WORKFLOW)]
    ended = subprocess.run(check, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize(("new", "code"), [(_OLD.replace(", returns", ""), 1), (_OLD.replace("b1:", "b2:"), 0)])
def test_its_step_fails_for_a_removal_and_not_for_another_address(new: str, code: int, tmp_path: Path) -> None:
    step = yaml.safe_load(WORKFLOW.read_text())["jobs"]["diff"]["steps"][-1]
    git = ["git", "-C", str(tmp_path), "-c", "user.name=tests", "-c", "user.email=tests@example.com"]
    (tmp_path / "streams.yaml").write_text(_OLD)
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["commit", "-qm", "x"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ):
        subprocess.run([*git, *command], check=True)
    (tmp_path / "streams.yaml").write_text(new)
    (tmp_path / "temp").mkdir()
    given = {
        "GITHUB_BASE_REF": "main",
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "PATH": f"{_BIN}:{os.environ['PATH']}",
    }
    # As the host runs a step whose shell is bash.
    run = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    ended = subprocess.run(run, cwd=tmp_path, env={**os.environ, **given}, capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert (tmp_path / "summary.md").read_text()
