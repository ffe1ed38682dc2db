"""docs/testing.md from the wheel: what a user copies is green, and what is lacking is said."""

from pathlib import Path

import pytest

from tests.readme import ROOT, examples, printed_by
from tests.wheel.environment import CLEAN, install, linked, with_spark_alone

PAGE = ROOT / "docs" / "testing.md"
PATIENCE = 180
PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
ASKS = "def test_one(kafka_testbed):\n    pass\n"


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment as its `pip install` makes it, but for confluent-kafka. Returns its interpreter."""
    folder = tmp_path_factory.mktemp("env")
    made = with_spark_alone(folder)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "pytest.pth").write_text(f"{linked(folder / 'pytest', *PYTEST)}\n")
    install(made, wheel)
    return made


def run(python: Path, folder: Path, test: str, *, code: int = 0, **environment: str) -> str:
    """What pytest prints of a file with this test."""
    (folder / "test_orders.py").write_text(test)
    command = [str(python), "-m", "pytest", "-p", "no:cacheprovider", f"--basetemp={folder / 'made'}", "test_orders.py"]
    return printed_by(command, folder, {**CLEAN, **environment}, within=PATIENCE, code=code)


@pytest.mark.slow
def test_the_test_of_the_page_is_green(python: Path, tmp_path: Path) -> None:
    (test,) = examples("python", PAGE)
    (_,) = examples("sh", PAGE)
    path = str(linked(tmp_path / "confluent", "confluent-kafka"))
    assert "1 passed" in run(python, tmp_path, test, PYTHONPATH=path)
    # It stands by itself: of the clusters only their logs are left.
    left = {file.name for file in (tmp_path / "made").glob("kafka*/eu-1/*")}
    assert left == {"broker.log", "server.properties"}


def test_without_confluent_kafka_the_fixture_says_what_to_install(python: Path, tmp_path: Path) -> None:
    printed = run(python, tmp_path, ASKS, code=1)
    assert "needs confluent-kafka. Install it: pip install 'dynamic-kafka-spark[testing]'" in printed
    assert "Traceback" not in printed
    assert "1 passed" in run(python, tmp_path, "def test_one():\n    pass\n")


def test_without_java_or_jars_the_fixture_says_what_to_do(python: Path, tmp_path: Path) -> None:
    path = str(linked(tmp_path / "confluent", "confluent-kafka"))
    printed = run(python, tmp_path, ASKS, code=1, PYTHONPATH=path, JAVA_HOME=str(tmp_path))
    assert f"Kafka can't be started. [DYNAMIC_KAFKA_NO_JAVA] JAVA_HOME is {tmp_path}" in printed
    away = {"DEFAULT_ARTIFACT_REPOSITORY": "http://127.0.0.1:1", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    printed = run(python, tmp_path, ASKS, code=1, PYTHONPATH=path, **away)
    assert "Kafka can't be started. Can't fetch http://127.0.0.1:1/" in printed
    assert "DEFAULT_ARTIFACT_REPOSITORY" in printed
