"""The version and the changelog of a release, on files as the project has them."""

import re
import shutil
from pathlib import Path

import pytest
from project.release import versions
from project.release.place import ReleaseError

from tests.readme import ROOT

CHANGELOG = """# Changes

The newest first.

## 0.2.0, not released yet

### Reading

- A new option.

## 0.1.0, 2026-12-01

- The first version.
"""


def test_a_section_is_cut_and_the_next_one_begins_above_it() -> None:
    cut = versions.cut(CHANGELOG, "0.2.0", "2027-01-10")
    assert versions.released(cut) == ["0.2.0", "0.1.0"]
    assert versions.notes(cut, "0.2.0") == "### Reading\n\n- A new option."
    begun = versions.begin(cut, "0.3.0")
    assert begun.startswith("# Changes\n\nThe newest first.\n\n## 0.3.0, not released yet\n\n## 0.2.0, 2027-01-10\n")
    assert versions.released(begun) == ["0.2.0", "0.1.0"]


@pytest.mark.parametrize(
    ("version", "changelog", "problem"),
    [
        ("0.1.0", CHANGELOG, "no section '## 0.1.0, not released yet'"),
        ("0.3.0", CHANGELOG, "no section '## 0.3.0, not released yet'"),
        ("0.3.0", versions.begin(CHANGELOG, "0.3.0"), "says nothing about 0.3.0"),
    ],
)
def test_a_release_without_a_section_of_its_own_is_refused(version: str, changelog: str, problem: str) -> None:
    with pytest.raises(ReleaseError, match=problem):
        versions.cut(changelog, version, "2027-01-10")


@pytest.mark.parametrize("version", ["1", "1.0", "1.0.0rc1", "v1.0.0", "1.0.0-SNAPSHOT", ""])
def test_only_three_numbers_are_a_version(version: str) -> None:
    with pytest.raises(ReleaseError, match="three numbers"):
        versions.number(version)


@pytest.mark.parametrize(
    ("before", "now", "may_break"),
    [("0.1.0", "0.1.1", False), ("0.1.1", "0.2.0", True), ("1.1.0", "1.2.0", False), ("1.2.3", "2.0.0", True)],
)
def test_programs_may_break_with_a_major_release_and_before_1_0_with_a_minor_one(
    before: str, now: str, may_break: bool
) -> None:
    assert (versions.series(before) != versions.series(now)) == may_break


def test_a_version_is_set_once_for_all_and_no_page_keeps_the_old_one(tmp_path: Path) -> None:
    for name in ("README.md", "CHANGELOG.md", "python/pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("docs", "examples"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("target", "__pycache__"))
    before = {page: page.read_text() for page in versions.pages(tmp_path)}
    versions.set_version(tmp_path, "77.8.9")
    assert versions.declared(tmp_path) == "77.8.9"
    named = {page: {version for _, version in versions.NAMED.findall(page.read_text())} for page in before}
    assert {page: found for page, found in named.items() if found - {"77.8.9"}} == {}
    # And nothing else was touched.
    own = versions.declared(ROOT)
    assert {page: page.read_text().replace("77.8.9", own) for page in before} == before


def test_this_checkouts_changelog_begins_with_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert versions.notes(changelog, versions.declared(ROOT))
    assert versions.declared(ROOT) not in versions.released(changelog)


def test_the_builds_of_examples_and_tests_have_the_versions_of_this_build() -> None:
    build = (ROOT / "project" / "Dependencies.scala").read_text()
    ours = dict(re.findall(r'val (scala|sparkVersion) += "(.+)"', build))
    launcher = (ROOT / "project" / "build.properties").read_text()
    examples = sorted((ROOT / "examples").glob("*/build.sbt"))
    assert len(examples) == 2
    named = {text for file in examples for text in re.findall(r'scalaVersion := "(.+)"', file.read_text())}
    sparks = {text for file in examples for text in re.findall(r'"spark-sql\w*" +% "(.+)"', file.read_text())}
    sparks |= set(
        re.findall(r"spark-sql-kafka-0-10_2\.13:(.+)\"", (ROOT / "tests/scenarios/spark_kafka.py").read_text())
    )
    assert (named, sparks) == ({ours["scala"]}, {ours["sparkVersion"]})
    assert {(file.parent / "project" / "build.properties").read_text() for file in examples} == {launcher}
