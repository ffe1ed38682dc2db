"""What counts as a break that a test has seen: the test was passed before, and fails by its own name."""

import subprocess
from pathlib import Path

import pytest

from tests.promises.breaking import blind, broken, copy_tree, outcome
from tests.promises.promised import Break, NamedTest, breaks, promises

SCALA = NamedTest("read/OneSuite.scala", "of ${limit} records, $n come")
SCENARIO = NamedTest("tests/scenarios/test_one.py", "test_rows_come")
OF_SCALA, OF_SCENARIO = "io.github.dynamickafka.spark.read.OneSuite", "tests.scenarios.test_one"
FAILURE, SKIPPED = "<failure/>", "<skipped/>"
AT_SETUP = '<error message="failed on setup with no broker"/>'
AT_THE_END = '<error message="failed on teardown with rows too many"/>'


@pytest.mark.parametrize(
    ("test", "classname", "name", "found", "how"),
    [
        (SCALA, OF_SCALA, "of 5 records, 3 come", FAILURE, "failed"),
        (SCALA, OF_SCALA, "of 5 records, 3 come", "", "passed"),
        (SCALA, OF_SCALA, "another", FAILURE, "not run"),
        (SCALA, "io.github.dynamickafka.spark.read.AnotherOneSuite", "of 5 records, 3 come", FAILURE, "not run"),
        (SCENARIO, OF_SCENARIO, "test_rows_come", FAILURE, "failed"),
        (SCENARIO, OF_SCENARIO, "test_rows_come[one]", FAILURE, "failed"),
        (SCENARIO, OF_SCENARIO, "test_rows_come", AT_THE_END, "failed"),
        (SCENARIO, OF_SCENARIO, "test_rows_come", AT_SETUP, "not run"),
        (SCENARIO, OF_SCENARIO, "test_rows_come", SKIPPED, "skipped"),
        (SCENARIO, OF_SCENARIO, "test_rows_come", "", "passed"),
        (SCENARIO, OF_SCENARIO, "test_rows_come_late", FAILURE, "not run"),
        # What pytest reports of a file that can't be collected.
        (SCENARIO, "", "tests.scenarios.test_one", '<error message="collection failure"/>', "not run"),
    ],
)
def test_only_a_failure_of_the_test_of_this_name_counts(
    test: NamedTest, classname: str, name: str, found: str, how: str, tmp_path: Path
) -> None:
    case = f'<testcase classname="{classname}" name="{name}">{found}</testcase>'
    (tmp_path / "TEST-x.xml").write_text(f"<testsuite>{case}</testsuite>")
    assert outcome(test, tmp_path) == how


def test_a_test_that_fails_without_the_break_has_seen_nothing() -> None:
    assert list(blind(SCALA, "passed", "failed")) == []
    for before, now in [
        ("failed", "failed"),
        ("not run", "failed"),
        ("passed", "does not compile"),
        ("passed", "passed"),
    ]:
        assert len(list(blind(SCALA, before, now))) == 1


def test_the_copy_has_what_is_not_committed_and_only_the_copy_is_broken(tmp_path: Path) -> None:
    root, copy = tmp_path / "root", tmp_path / "copy"
    for name, text in {
        "a/old": "as it was",
        "new": "1",
        "gone": "1",
        "target/ignored": "1",
        ".gitignore": "target",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)  # noqa: S607
    copy_tree(root, copy)
    (copy / "target").mkdir()
    (copy / "target" / "built").touch()
    kept = (copy / "a/old").stat().st_mtime_ns
    (root / "gone").unlink()
    (root / "new").write_text("2")
    copy_tree(root, copy)
    files = {str(file.relative_to(copy)) for file in copy.rglob("*") if file.is_file()}
    assert files == {"a/old", "new", ".gitignore", "target/built"}
    assert ((copy / "new").read_text(), (copy / "a/old").stat().st_mtime_ns) == ("2", kept)


def test_a_break_is_made_in_the_copy_and_undone(tmp_path: Path) -> None:
    one = Break("tests/promises/__init__.py", "it is broken", "old", "new", ())
    file = tmp_path / one.file
    file.parent.mkdir(parents=True)
    file.write_text("an old text")
    with broken(one, tmp_path):
        assert file.read_text() == "an new text"
    assert file.read_text() == "an old text"
    assert "new text" not in one.path.read_text()


def test_of_each_of_the_eleven_a_scenario_has_seen_a_break() -> None:
    seen = {test for one in breaks() for test in one.fails if test.file.startswith("tests/scenarios/")}
    shown = {promise.section for promise in promises() if seen & set(promise.tests)}
    assert {one.section for one in promises() if one.section[0].isdigit()} - shown == set()
