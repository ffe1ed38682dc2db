"""The wheel as it ships. That the README's query runs from it is shown by `test_readme.py` and `test_start_page.py`."""

from importlib import metadata
from pathlib import Path

import pytest

from tests.readme import examples, printed_by
from tests.wheel.environment import CLEAN, install

PATIENCE = 90


def test_the_wheel_needs_nothing_and_brings_one_jar(environment: Path, tmp_path: Path) -> None:
    script = (
        "import dynamic_kafka, importlib.metadata as m;"
        "print(dynamic_kafka.__file__, dynamic_kafka.jar_path(), m.requires('dynamic-kafka-spark'), sep='\\n')"
    )
    module, jar, requires = printed_by([str(environment), "-c", script], tmp_path, CLEAN, within=PATIENCE).splitlines()
    home = str(environment.parents[1])
    assert module.startswith(home)
    assert jar.startswith(home)
    assert "extra" in requires


@pytest.mark.slow
def test_a_jar_of_another_release_is_reported_with_the_line_to_change(
    environment: Path, wheel: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    install(environment, wheel, "--target", str(other))
    (described,) = other.glob("*.dist-info/METADATA")
    here = metadata.version("dynamic-kafka-spark")
    described.write_text(described.read_text().replace(f"\nVersion: {here}\n", "\nVersion: 9.9.9\n"))
    script = examples("python")[0]
    (tmp_path / "example.py").write_text(script)
    command = [str(environment), "example.py"]
    printed = printed_by(command, tmp_path, {**CLEAN, "PYTHONPATH": str(other)}, within=PATIENCE, code=1)
    assert "VersionMismatchError" in printed
    assert f"The jar in Spark has version {here}, the Python package has version 9.9.9" in printed
    assert f"pip install dynamic-kafka-spark=={here}" in printed


def test_the_command_without_its_extra_says_what_to_install(environment: Path, tmp_path: Path) -> None:
    command = [str(environment.with_name("dynamic-kafka")), "offsets", "checkpoint"]
    assert "pip install 'dynamic-kafka-spark[cli]'" in printed_by(command, tmp_path, CLEAN, within=PATIENCE, code=2)
