"""The thin jar: with Kafka's own client beside it, a user's classes that were compiled against that client fit."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.cluster import KafkaCluster
from tests.cluster.process_broker import kafka
from tests.cluster.versions import NEWEST
from tests.maven_folder import add, add_thin_jar, needed_by_thin_jar, thin_jar
from tests.readme import printed_by
from tests.scenarios.conftest import Name
from tests.scenarios.session import KAFKA_PASSWORD

pytestmark = pytest.mark.slow

# Gets the login from elsewhere than the properties, as those of clouds do.
_PLUGIN = """
import java.util.List;
import java.util.Map;
import javax.security.auth.callback.*;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;

public class FromElsewhere implements AuthenticateCallbackHandler {
  public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {}
  public void handle(Callback[] callbacks) {
    for (Callback one : callbacks) {
      if (one instanceof NameCallback) ((NameCallback) one).setName("reader");
      if (one instanceof PasswordCallback) ((PasswordCallback) one).setPassword("PASSWORD".toCharArray());
    }
  }
  public void close() {}
}
"""
_PROGRAM = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.read.format("dynamic-kafka").option("metadataService", "yaml")
rows = rows.option("metadataService.path", sys.argv[1]).option("streamIds", "orders").load()
for row in rows.collect():
    print("row", row.cluster, bytes(row.value).decode())
"""

# All that a user writes for the plugin is its coordinates.
_WITH_PLUGIN = """
import sys
from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService, configure_spark
from pyspark.sql import SparkSession

streams, repository, ivy = sys.argv[1:]
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.jars.repositories", repository).config("spark.jars.ivy", ivy)
spark = configure_spark(builder, plugins=["com.example:from-elsewhere:1.0"]).getOrCreate()
source = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(streams)).stream_ids("orders")
for row in source.bounded().load().collect():
    print("row", row.cluster, bytes(row.value).decode())
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A jar with one class, compiled against Kafka's client as a user would."""
    (tmp_path / "FromElsewhere.java").write_text(_PLUGIN.replace("PASSWORD", KAFKA_PASSWORD))
    javac = ["javac", "-cp", kafka(NEWEST).class_path, "-d", str(tmp_path), str(tmp_path / "FromElsewhere.java")]
    subprocess.run(javac, check=True)
    with zipfile.ZipFile(tmp_path / "plugin.jar", "w") as jar:
        jar.write(tmp_path / "FromElsewhere.class", "FromElsewhere.class")
    return tmp_path / "plugin.jar"


@pytest.fixture
def streams(guarded: KafkaCluster, fresh_name: Name, tmp_path: Path) -> Path:
    """A file with a stream of one record, on a cluster into which only the plugin gets."""
    topic = fresh_name("topic")
    guarded.create_topic(topic)
    guarded.produce(topic, [(None, "paid")])
    login = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required;",
        "sasl.client.callback.handler.class": "FromElsewhere",
    }
    cluster = {"clusterId": "g", "bootstrapServers": guarded.bootstrap_servers, "topics": [topic], "properties": login}
    file = tmp_path / "streams.yaml"
    file.write_text(yaml.safe_dump([{"streamId": "orders", "clusterMetadataList": [cluster]}]))
    return file


def test_a_login_handler_compiled_against_kafkas_client_works_with_the_thin_jar(
    streams: Path, plugin: Path, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(_PROGRAM)
    jars = ",".join(str(jar) for jar in [thin_jar(), *needed_by_thin_jar().values(), plugin])
    environment = {"PYSPARK_SUBMIT_ARGS": f"--jars {jars} pyspark-shell"}
    command = [sys.executable, str(tmp_path / "program.py"), str(streams)]
    assert "row g paid" in printed_by(command, tmp_path, environment, within=90).splitlines()


def test_configure_spark_brings_the_thin_jar_kafkas_client_and_a_plugin_as_packages(
    streams: Path, plugin: Path, environment: Path, tmp_path: Path
) -> None:
    repository = tmp_path / "m2"
    add_thin_jar(repository)
    for coordinates, jar in needed_by_thin_jar().items():
        add(repository, coordinates, jar)
    add(repository, "com.example:from-elsewhere:1.0", plugin)
    (tmp_path / "program.py").write_text(_WITH_PLUGIN)
    command = [str(environment), "program.py", str(streams), repository.as_uri(), str(tmp_path / "ivy")]
    printed = printed_by(command, tmp_path, {"PYTHONPATH": "", "PYSPARK_SUBMIT_ARGS": "pyspark-shell"}, within=90)
    assert "row g paid" in printed.splitlines()
