"""The targets of make: each is listed, and none is green, or up to date, for nothing."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.readme import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
# Names of what others begin with, of no use alone.
PARTS = {"java", "texts"}


def targets() -> set[str]:
    phony = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)", MAKEFILE, re.MULTILINE)
    assert phony
    return set(phony[1].replace("\\", "").split()) - PARTS


def make(*words: str, folder: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    # An outer make, which may run these tests, hands its own settings on.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "-o", ".venv/.linked", *words]
    return subprocess.run(command, cwd=folder, env={**clean, **variables}, capture_output=True, text=True, check=False)


def test_make_help_has_each_target_once() -> None:
    listed = [name for line in re.findall(r"^## (.+) \| ", MAKEFILE, re.MULTILINE) for name in line.split(", ")]
    assert sorted(listed) == sorted(targets())
    printed = make("help").stdout
    assert all(re.search(rf"^  (.+, )?{name}\b", printed, re.MULTILINE) for name in listed)


def test_a_run_on_versions_fails_if_they_are_not_known(tmp_path: Path) -> None:
    program(tmp_path / "python", "exit 3")
    jar = str(ROOT / "LICENSE")
    assert make("-o", jar, "wire", f"JAR={jar}", f"BIN={tmp_path}").returncode != 0


@pytest.mark.parametrize(("version", "green"), [("11.0.2", False), ("17.0.1", True)])
def test_the_java_of_java_home_is_the_one_that_is_looked_at(version: str, green: bool, tmp_path: Path) -> None:
    program(tmp_path / "bin" / "java", f"echo 'openjdk version \"{version}\"' >&2")
    assert (make("java", JAVA_HOME=str(tmp_path)).returncode == 0) == green


def test_a_java_home_without_java_is_refused(tmp_path: Path) -> None:
    assert f"JAVA_HOME is {tmp_path}" in make("java", JAVA_HOME=str(tmp_path)).stderr


@pytest.mark.parametrize(
    ("built", "deleted"), [("JAR", "jvm/src/main/scala/Two.scala"), ("WHEEL", "python/src/dynamic_kafka/two.py")]
)
def test_what_was_built_of_a_file_that_is_deleted_is_built_again(built: str, deleted: str, tmp_path: Path) -> None:
    for name in ("Makefile", "LICENSE", "NOTICE", "README.md", "build.sbt", "python/pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("jvm/src/main/scala/One.scala", "jvm/src/main/scala/Two.scala", "licenses/x/LICENSE", "project/x.sbt"):
        write(tmp_path / name)
    for name in ("python/x.py", "python/src/dynamic_kafka/two.py"):
        write(tmp_path / name)
    make("texts", folder=tmp_path)
    jar, wheel = re.findall(r"^(?:JAR|WHEEL) := (.+)$", make("-pn", "help", folder=tmp_path).stdout, re.MULTILINE)
    for name in (jar, wheel):
        write(tmp_path / name)
    name = {"JAR": jar, "WHEEL": wheel}[built]
    assert make("-q", "-o", "java", name, folder=tmp_path).returncode == 0
    (tmp_path / deleted).unlink()
    assert make("-q", "-o", "java", name, folder=tmp_path).returncode == 1


def write(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()


def program(file: Path, text: str) -> None:
    write(file)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


@pytest.mark.parametrize(
    ("asked", "locked"),
    [
        ("python/requirements-dev.txt", "python/constraints-dev.txt"),
        ("examples/http-metadata/requirements.txt", "python/constraints-dev.txt"),
        ("python/requirements-release.txt", "python/constraints-release.txt"),
        ("docs/site/requirements.txt", "docs/site/constraints.txt"),
    ],
)
def test_what_is_installed_is_what_was_asked_for_each_by_its_digest(asked: str, locked: str) -> None:
    texts = [(ROOT / name).read_text().lower().replace("_", "-") for name in (asked, locked)]
    wanted, pinned = (re.findall(r"^([\w.-]+==\S+)", text, re.MULTILINE) for text in texts)
    assert wanted
    assert set(wanted) - set(pinned) == set(), "run `make pin`"
    assert len(re.findall(r"^[\w.-]+==\S+ \\\n +--hash=sha256:", texts[1], re.MULTILINE)) == len(pinned)
