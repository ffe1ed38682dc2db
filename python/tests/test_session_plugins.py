"""`configure_spark` with plugins of Kafka's client."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from dynamic_kafka import _plugins, configure_spark
from dynamic_kafka.errors import InvalidOptionError, OptionTypeError

JARS, PACKAGES = "spark.jars", "spark.jars.packages"
SHADED = "io.github.dynamickafka:dynamic-kafka-spark_2.13:0.1.0"
THIN = "io.github.dynamickafka:dynamic-kafka-spark-thin_2.13:0.1.0"
LOGIN, OTHER = "software.amazon.msk:aws-msk-iam-auth:2.3.5", "com.example:other:1.0"


@pytest.fixture(autouse=True)
def _no_spark_yet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No JVM runs, and nothing is configured outside the test."""
    monkeypatch.setattr("dynamic_kafka._jvm.running_conf", lambda _key: None)
    monkeypatch.setattr(_plugins, "version", lambda: "0.1.0")
    for name in ("SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))


def set_on(*plugins: str, **settings: str) -> dict[str, object]:
    """What a builder with these settings has afterwards; `_` in a name stands for a dot."""
    builder = SparkSession.Builder()
    for key, value in settings.items():
        builder = builder.config(key.replace("_", "."), value)
    return configure_spark(builder, plugins=list(plugins))._options


def refusal(*plugins: str, **settings: str) -> str:
    with pytest.raises(InvalidOptionError) as refused:
        set_on(*plugins, **settings)
    assert refused.value.option == "plugins"
    return refused.value.detail


def test_the_thin_jar_and_the_plugins_are_packages_and_the_bundled_jar_is_left_out() -> None:
    assert set_on(LOGIN) == {PACKAGES: f"{THIN},{LOGIN}"}
    assert set_on() == {PACKAGES: THIN}


def test_packages_and_jars_that_are_there_are_kept(tmp_path: Path) -> None:
    assert set_on(LOGIN, spark_jars_packages=OTHER, spark_jars="/a.jar") == {
        PACKAGES: f"{OTHER},{THIN},{LOGIN}",
        JARS: "/a.jar",
    }
    (tmp_path / "spark-defaults.conf").write_text(f"{PACKAGES} {OTHER}\n")
    assert set_on(LOGIN)[PACKAGES] == f"{OTHER},{THIN},{LOGIN}"


def test_what_is_there_is_not_added_again() -> None:
    builder = configure_spark(SparkSession.Builder(), plugins=[LOGIN])
    assert configure_spark(builder, plugins=[LOGIN])._options == {PACKAGES: f"{THIN},{LOGIN}"}
    assert configure_spark(builder)._options == {PACKAGES: f"{THIN},{LOGIN}"}
    of_the_user = "/opt/dynamic-kafka-spark-thin_2.13-0.1.0.jar"
    assert set_on(LOGIN, spark_jars=of_the_user) == {JARS: of_the_user, PACKAGES: LOGIN}


def test_the_monitoring_plugin_of_spark_comes_beside_them() -> None:
    options = configure_spark(SparkSession.Builder(), monitoring=True, plugins=[LOGIN])._options
    assert options.keys() == {PACKAGES, "spark.plugins"}


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("spark_jars", "/x.jar,/opt/dynamic-kafka-spark_2.13-0.1.0.jar"),
        ("spark_jars_packages", f"{OTHER},{SHADED}"),
        ("spark_driver_extraClassPath", "/x.jar:/opt/dynamic-kafka-spark_2.13-0.1.0.jar"),
        ("spark_executor_extraClassPath", "/opt/dynamic-kafka-spark_2.13-0.1.0.jar"),
    ],
)
def test_the_shaded_jar_beside_them_is_refused_with_its_place(setting: str, value: str) -> None:
    said = refusal(LOGIN, **{setting: value})
    key, name = setting.replace("_", "."), re.split("[,:](?=/|io)", value)[-1]
    assert said.startswith(f"plugins need the thin jar, but the shaded jar is there too: {name} in {key}. Both have")
    assert "Take it out there" in said


def test_the_shaded_jar_is_found_in_folders_of_a_class_path_and_in_sparks_own(tmp_path: Path) -> None:
    (tmp_path / "jars").mkdir()
    jar = tmp_path / "jars" / "dynamic-kafka-spark_2.13-0.1.0.jar"
    jar.touch()
    assert f"there too: {jar} in Spark's own folder of jars." in refusal(LOGIN)
    jar.rename(tmp_path / jar.name)
    place = f"{tmp_path / jar.name} in spark.driver.extraClassPath."
    assert place in refusal(LOGIN, spark_driver_extraClassPath=f"{tmp_path}/*")


def test_the_shaded_jar_is_found_in_the_submit_arguments_and_among_the_plugins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert f"{SHADED} in spark.jars.packages" in refusal(SHADED)
    jar = "/opt/dynamic-kafka-spark_2.13-0.1.0.jar"
    for arguments, place in ((f"--jars {jar}", JARS), (f"--driver-class-path {jar}", "spark.driver.extraClassPath")):
        monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{arguments} pyspark-shell")
        assert f"{jar} in {place}" in refusal(LOGIN)


def test_where_spark_would_fetch_no_more_packages_the_error_says_what_to_submit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--packages {OTHER} pyspark-shell")
    both = f"{THIN},{LOGIN}"
    assert refusal(LOGIN) == (
        "plugins can't be added: PYSPARK_SUBMIT_ARGS names packages, and they win over those of a builder. Missing are "
        f"{both}. Name them where Spark is started, beside other packages: spark-submit --packages {both}."
    )
    monkeypatch.setattr("dynamic_kafka._jvm.running_conf", {PACKAGES: THIN}.get)
    said = refusal(LOGIN)
    assert "Spark's JVM runs already" in said
    assert said.endswith(f"--packages {LOGIN}.")


def test_with_all_packages_submitted_nothing_is_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynamic_kafka._jvm.running_conf", lambda key: f"{THIN},{LOGIN}" if key == PACKAGES else "")
    assert set_on(LOGIN) == {PACKAGES: f"{THIN},{LOGIN}"}


@pytest.mark.parametrize("wrong", ["aws-msk-iam-auth", "a:b", "a:b:c:d", "a:b:c,d:e:f", "a: b:c", "/a.jar", "", 7])
def test_what_are_no_coordinates_is_refused(wrong: str) -> None:
    assert refusal(LOGIN, wrong).startswith(f"plugins has {wrong!r}; expected are Maven coordinates")


def test_a_bare_text_is_no_list() -> None:
    with pytest.raises(OptionTypeError, match="write a list"):
        configure_spark(SparkSession.Builder(), plugins=LOGIN)


def test_a_builder_for_connect_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost")
    assert set_on(LOGIN) == {}
