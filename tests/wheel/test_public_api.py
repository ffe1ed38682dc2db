"""The public API is what the kept texts say; a change of it is seen where the change is reviewed."""

import shutil
from pathlib import Path

import dynamic_kafka
from project import public_api
from project.release import checking

from tests.readme import ROOT

AGAIN = "If the change is meant, run `make api`, and name it in CHANGELOG.md."


def test_the_python_api_is_what_its_text_says() -> None:
    assert public_api.of_python() == public_api.PYTHON.read_text(), AGAIN


def test_the_jvm_api_is_what_its_text_says() -> None:
    assert public_api.of_jvm(dynamic_kafka.jar_path()) == public_api.JVM.read_text(), AGAIN


def test_a_parameter_that_is_taken_away_is_found_and_one_with_a_default_may_come(tmp_path: Path) -> None:
    sources = ROOT / "python" / "src"
    shutil.copytree(sources / "dynamic_kafka", tmp_path / "dynamic_kafka", ignore=shutil.ignore_patterns("jars"))
    errors = tmp_path / "dynamic_kafka" / "errors.py"
    text = errors.read_text()
    before = "def find_error(exception: BaseException)"
    assert before in text
    now = public_api.load(sources)
    errors.write_text(text.replace(before, "def find_error(exception: BaseException, depth: int = 0)"))
    assert checking.breaks(now, public_api.load(tmp_path)) == []
    (broken,) = checking.breaks(public_api.load(tmp_path), now)
    assert "find_error(depth)" in broken
    assert "removed" in broken
