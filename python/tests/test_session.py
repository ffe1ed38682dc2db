"""The jar on a session builder."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from dynamic_kafka import _jar, _session, configure_spark
from dynamic_kafka.errors import DynamicKafkaError, JarMissingError

BUNDLED = "/site-packages/dynamic_kafka/jars/dynamic-kafka-spark_2.13-0.1.0.jar"
JARS, PACKAGES = "spark.jars", "spark.jars.packages"


@pytest.fixture(autouse=True)
def _no_spark_yet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No JVM runs, and nothing is configured outside the test."""
    monkeypatch.setattr(_session, "jar_path", lambda: Path(BUNDLED))
    monkeypatch.setattr("dynamic_kafka._jvm.running_conf", lambda _key: None)
    for name in ("SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))


def jars(builder: SparkSession.Builder | None = None) -> object:
    return configure_spark(builder or SparkSession.Builder())._options.get(JARS)


def test_a_bare_builder_gets_the_bundled_jar_alone() -> None:
    assert jars() == BUNDLED


def test_jars_of_the_builder_are_kept() -> None:
    assert jars(SparkSession.Builder().config(JARS, "/a.jar,/b.jar")) == f"/a.jar,/b.jar,{BUNDLED}"


def test_a_second_time_adds_nothing() -> None:
    assert jars(configure_spark(SparkSession.Builder())) == BUNDLED


@pytest.mark.parametrize(
    "arguments",
    [
        "--driver-memory 2g --jars /a.jar pyspark-shell",
        "--jars=/a.jar pyspark-shell",
        "--conf spark.jars=/a.jar --conf spark.x=y pyspark-shell",
        "--conf spark.jars=/lost.jar --jars /a.jar pyspark-shell",
    ],
)
def test_jars_of_the_submit_arguments_are_kept(monkeypatch: pytest.MonkeyPatch, arguments: str) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    assert jars() == f"/a.jar,{BUNDLED}"


@pytest.mark.parametrize("line", ["spark.jars /a.jar", "spark.jars=/a.jar", "  spark.jars\t /a.jar  "])
def test_jars_of_the_defaults_file_are_kept(tmp_path: Path, line: str) -> None:
    (tmp_path / "spark-defaults.conf").write_text(f"# spark.jars /no.jar\n\nspark.alone\n{line}\n")
    assert jars() == f"/a.jar,{BUNDLED}"


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ("--properties-file {file}", ["/f.jar"]),
        ("--properties-file={file} --load-spark-defaults", ["/f.jar"]),
        ("--properties-file {other}", []),
        ("--properties-file {other} --load-spark-defaults", ["/d.jar"]),
        ("--properties-file {file} --jars /a.jar", ["/a.jar"]),
    ],
)
def test_jars_of_a_properties_file_are_kept_instead_of_those_of_the_defaults_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: str, kept: list[str]
) -> None:
    (tmp_path / "spark-defaults.conf").write_text(f"{JARS} /d.jar\n")
    (tmp_path / "mine.conf").write_text(f"{JARS}=/f.jar\n")
    (tmp_path / "other.conf").write_text("spark.x y\n")
    text = arguments.format(file=tmp_path / "mine.conf", other=tmp_path / "other.conf")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{text} pyspark-shell")
    assert jars() == ",".join([*kept, BUNDLED])


def test_jars_of_a_running_jvm_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynamic_kafka._jvm.running_conf", {JARS: "/a.jar", PACKAGES: ""}.get)
    assert jars() == f"/a.jar,{BUNDLED}"


def test_the_source_as_a_package_makes_the_bundled_jar_superfluous(monkeypatch: pytest.MonkeyPatch) -> None:
    package = "io.github.dynamickafka:dynamic-kafka-spark_2.13:0.1.0"
    assert jars(SparkSession.Builder().config(PACKAGES, package)) is None
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--packages {package} pyspark-shell")
    assert jars() is None


def plugins(builder: SparkSession.Builder | None = None) -> object:
    return configure_spark(builder or SparkSession.Builder(), monitoring=True)._options.get("spark.plugins")


def test_monitoring_adds_its_plugin_once_beside_others(tmp_path: Path) -> None:
    ours = "io.github.dynamickafka.spark.MonitoringPlugin"
    assert "spark.plugins" not in configure_spark(SparkSession.Builder())._options
    assert plugins() == ours
    assert plugins(SparkSession.Builder().config("spark.plugins", "com.example.Theirs")) == f"com.example.Theirs,{ours}"
    assert plugins(configure_spark(SparkSession.Builder(), monitoring=True)) == ours
    (tmp_path / "spark-defaults.conf").write_text("spark.plugins com.example.Theirs\n")
    assert plugins() == f"com.example.Theirs,{ours}"


def test_monitoring_needs_no_jar_of_ours_where_there_is_one() -> None:
    package = "io.github.dynamickafka:dynamic-kafka-spark_2.13:0.1.0"
    builder = configure_spark(SparkSession.Builder().config(PACKAGES, package), monitoring=True)
    assert JARS not in builder._options
    assert "spark.plugins" in builder._options


def test_a_builder_for_connect_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert jars(SparkSession.Builder().remote("sc://localhost")) is None
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost")
    assert jars() is None


@pytest.mark.parametrize("names", [[], ["a.jar", "b.jar"]])
def test_a_package_without_exactly_one_jar_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, names: list[str]
) -> None:
    (tmp_path / "jars").mkdir()
    for name in names:
        (tmp_path / "jars" / name).touch()
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    monkeypatch.setattr(_jar, "version", lambda: "0.1.0")
    with pytest.raises(JarMissingError, match=f"has {len(names)} jars; expected exactly one.*spark_2.13:0.1.0"):
        _jar.jar_path.__wrapped__()


def test_a_package_that_is_not_installed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jar, "DISTRIBUTION", "no-such-distribution")
    with pytest.raises(DynamicKafkaError, match="no-such-distribution is imported but not installed"):
        _jar.version()
