"""The thin jar: with Kafka's own client beside it, a user's classes that were compiled against that client fit."""

import subprocess
import sys
import zipfile
from pathlib import Path

import jgo
import pytest
import yaml
from project.release.central import dependencies, read_pom

from tests.cluster import KafkaCluster
from tests.cluster.process_broker import kafka
from tests.cluster.versions import NEWEST
from tests.readme import ROOT, printed_by
from tests.scenarios.conftest import Name
from tests.scenarios.session import KAFKA_PASSWORD

TARGET = ROOT / "jvm" / "target" / "scala-2.13"
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


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A jar with one class, compiled against Kafka's client as a user would."""
    (tmp_path / "FromElsewhere.java").write_text(_PLUGIN.replace("PASSWORD", KAFKA_PASSWORD))
    javac = ["javac", "-cp", kafka(NEWEST).class_path, "-d", str(tmp_path), str(tmp_path / "FromElsewhere.java")]
    subprocess.run(javac, check=True)
    with zipfile.ZipFile(tmp_path / "plugin.jar", "w") as jar:
        jar.write(tmp_path / "FromElsewhere.class", "FromElsewhere.class")
    return tmp_path / "plugin.jar"


def thin_jars() -> list[Path]:
    """The thin jar as `make jar` leaves it, and the three that its POM names."""
    (thin,) = TARGET.glob("dynamic-kafka-spark-thin_*[0-9].jar")
    beside = [Path(jar) for jar in kafka(NEWEST).class_path.split(":")]
    clients = [jar for jar in beside if jar.name.startswith(("kafka-clients-", "jose4j-"))]
    assert len(clients) == 2, clients
    # The one that a broker's class path does not have, in the version of the POM.
    (pom,) = TARGET.glob("*.pom")
    (engine,) = (one for one in dependencies(read_pom(pom)) if one[1] == "snakeyaml-engine")
    return [thin, *clients, *(Path(jar) for jar in jgo.build(":".join(engine[:3])).all_jars)]


def test_a_login_handler_compiled_against_kafkas_client_works_with_the_thin_jar(
    guarded: KafkaCluster, plugin: Path, fresh_name: Name, tmp_path: Path
) -> None:
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
    streams = [{"streamId": "orders", "clusterMetadataList": [cluster]}]
    (tmp_path / "streams.yaml").write_text(yaml.safe_dump(streams))
    (tmp_path / "program.py").write_text(_PROGRAM)
    jars = ",".join(str(jar) for jar in [*thin_jars(), plugin])
    environment = {"PYSPARK_SUBMIT_ARGS": f"--jars {jars} pyspark-shell"}
    command = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "streams.yaml")]
    assert "row g paid" in printed_by(command, tmp_path, environment, within=90).splitlines()
