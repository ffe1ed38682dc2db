"""What is green: tests that ran, and passed."""

import sys
from pathlib import Path

import pytest
from project import run_tests

PASSED, FAILED, SKIPPED = "<testcase/>", "<testcase><failure/></testcase>", "<testcase><skipped/></testcase>"


@pytest.mark.parametrize(
    ("cases", "code", "ci", "green"),
    [
        ([PASSED], 0, "", True),
        ([], 0, "", False),
        ([SKIPPED], 0, "", False),
        ([PASSED, SKIPPED], 0, "", True),
        ([PASSED, SKIPPED], 0, "true", False),
        ([PASSED], 0, "true", True),
        ([PASSED, FAILED], 1, "", False),
        ([PASSED], 3, "", False),
    ],
)
def test_a_part_is_green_if_tests_ran_and_in_ci_if_none_was_skipped(
    cases: list[str], code: int, ci: str, green: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = f"<testsuite>{''.join(cases)}</testsuite>"
    program = (
        f"import pathlib, sys; pathlib.Path('reports').mkdir(); pathlib.Path('reports/x.xml').write_text({report!r})"
    )
    monkeypatch.setattr(
        run_tests, "what_runs", lambda *_: ([sys.executable, "-c", f"{program}; sys.exit({code})"], tmp_path)
    )
    monkeypatch.setitem(run_tests.REPORTS, "e2e", tmp_path / "reports")
    monkeypatch.setenv("CI", ci)
    assert run_tests.run("e2e", []).succeeded == green


def test_a_pattern_of_suites_is_run_and_counted_like_all_of_them() -> None:
    assert run_tests.what_runs("scala", ["*Budget*", "*Limits*"])[0][-1] == "testOnly *Budget* *Limits*"
    assert run_tests.what_runs("scala", [])[0][-1] == "testOnly"


def test_slow_scenarios_are_those_that_the_other_run_leaves_out() -> None:
    every_day, slow = (" ".join(run_tests.what_runs(part, [])[0]) for part in ("e2e", "slow"))
    assert slow.replace(" -m slow and not long", "").replace("/slow/", "/e2e/") == every_day
