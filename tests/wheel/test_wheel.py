"""The wheel as it ships. That the README's query runs from it is shown by `test_readme.py` and `test_start_page.py`."""

from importlib import metadata
from pathlib import Path

from tests.readme import Program, examples
from tests.wheel.environment import CLEAN, install

PATIENCE = 90


def test_the_wheel_needs_nothing_and_brings_one_jar(environment: Path, tmp_path: Path) -> None:
    script = (
        "import dynamic_kafka, importlib.metadata as m;"
        "print(dynamic_kafka.__file__, dynamic_kafka.jar_path(), m.requires('dynamic-kafka-spark'), sep='\\n')"
    )
    with Program([str(environment), "-c", script], tmp_path, CLEAN) as program:
        assert program.end(within=PATIENCE) == 0, program.printed()
        module, jar, requires = program.printed().splitlines()
    home = str(environment.parents[1])
    assert module.startswith(home)
    assert jar.startswith(home)
    assert "extra" in requires


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
    with Program([str(environment), "example.py"], tmp_path, {**CLEAN, "PYTHONPATH": str(other)}) as program:
        assert program.end(within=PATIENCE) != 0
        printed = program.printed()
    assert "VersionMismatchError" in printed
    assert f"The jar in Spark has version {here}, the Python package has version 9.9.9" in printed
    assert f"pip install dynamic-kafka-spark=={here}" in printed


def test_the_command_without_its_extra_says_what_to_install(environment: Path, tmp_path: Path) -> None:
    with Program([str(environment.with_name("dynamic-kafka")), "offsets", "checkpoint"], tmp_path, CLEAN) as program:
        assert program.end(within=PATIENCE) == 2, program.printed()
        assert "pip install 'dynamic-kafka-spark[cli]'" in program.printed()
