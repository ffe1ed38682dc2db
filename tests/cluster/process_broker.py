"""A broker as a process of this machine, from Maven's jars."""

import base64
import functools
import shutil
import subprocess
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
from dynamic_kafka._brokers import KAFKA_VERSION
from dynamic_kafka._brokers.jars import class_path as pinned_class_path
from dynamic_kafka._brokers.settings import LOGGING
from dynamic_kafka._brokers.supervised import Supervised

from tests.cluster.made_once import made_once
from tests.cluster.server_settings import Listeners, Quorum, ServerSettings, server_properties
from tests.cluster.versions import needs_zookeeper
from tests.cluster.waiting import eventually
from tests.packages import fetched

# What the package pins, and here the same of other versions.
ARTIFACTS = (
    "org.apache.kafka:kafka_2.13:{version}",
    "org.apache.kafka:kafka-tools:{version}",
    "org.slf4j:slf4j-simple:2.0.17",
)
# Of the time when a broker needed ZooKeeper. Java 17 needs one whose client can read what addresses look like there.
_OLD_JARS = (
    "org.apache.kafka:kafka_2.12:{version}",
    "org.apache.zookeeper:zookeeper:3.5.9",
    "org.slf4j:slf4j-simple:1.7.36",
)
# Of a broker that archives its classes at the end, on a busy machine.
_STOP_SECONDS = 60


@functools.cache
def class_path(version: str) -> str:
    """Kafka's server and tools: of the pinned list, else resolved once through jgo, which keeps what it fetched."""
    if version == KAFKA_VERSION:
        return pinned_class_path()
    jars = _OLD_JARS if needs_zookeeper(version) else ARTIFACTS
    # ZooKeeper brings a way to log of its own.
    found = fetched("+".join(jars).format(version=version))
    return ":".join(str(jar) for jar in found if not jar.name.startswith("slf4j-log4j12"))


def java_command(version: str, *options: str, main: str) -> list[str]:
    """What runs one of Kafka's programs; its arguments follow."""
    return ["java", *options, *LOGGING, "-cp", class_path(version), main]


def new_kafka_id() -> str:
    """22 characters of Base64, as Kafka makes them, the first no dash, which would look like an option."""
    made = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    return made if not made.startswith("-") else new_kafka_id()


@dataclass(frozen=True)
class BrokerPlan:
    """Where one broker lives: its name, its own folder, its ports, its place in the cluster, and settings."""

    name: str
    folder: Path
    listeners: Listeners
    quorum: Quorum
    settings: ServerSettings

    @property
    def log(self) -> Path:
        """The file that holds everything the broker printed, over all its starts."""
        return self.folder / "broker.log"


class ProcessBroker:
    """Each start is a process of its own, which never outlives this one."""

    def __init__(self, plan: BrokerPlan, java_options: Sequence[str] = ()) -> None:
        """``java_options`` are beside those of the plan."""
        self.plan = plan
        self._java_options = java_options
        self._data = plan.folder / "data"
        self._process: Supervised | None = None

    def start(self, kafka_id: str) -> None:
        if self.is_running():
            return
        properties = self._write_properties()
        if not self._data.exists():
            self._format(properties, kafka_id)
        self._process = Supervised(self._command(properties), self.plan.log)

    def is_running(self) -> bool:
        return self._process is not None and self._process.runs()

    def stop(self) -> None:
        if self._process:
            self._process.signal("SIGCONT")
            self._process.signal("SIGTERM")
            try:
                self._process.end(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        if self._process:
            self._process.kill()

    def pause(self) -> None:
        assert self._process, "the broker was not started"
        self._process.signal("SIGSTOP")
        broker = psutil.Process(self._process.pid)
        eventually(
            f"broker {self.plan.name} is stopped",
            broker.status,
            until=lambda seen: seen == psutil.STATUS_STOPPED,
            within=_STOP_SECONDS,
        )

    def resume(self) -> None:
        if self._process:
            self._process.signal("SIGCONT")

    def wipe(self) -> None:
        shutil.rmtree(self._data, ignore_errors=True)

    def _command(self, properties: Path) -> list[str]:
        settings = self.plan.settings
        options = (*settings.all_java_options(), *self._java_options)
        return [*java_command(settings.version, *options, main="kafka.Kafka"), str(properties)]

    def _write_properties(self) -> Path:
        path = self.plan.folder / "server.properties"
        path.write_text("".join(f"{key}={value}\n" for key, value in sorted(self._properties().items())))
        return path

    def _properties(self) -> dict[str, str]:
        plan = self.plan
        return server_properties(plan.settings, plan.listeners, plan.quorum, data=str(self._data))

    def _format(self, properties: Path, kafka_id: str) -> None:
        formatted = made_once("formatted", partial(self._run_format, properties), of=self.plan.settings.version)
        shutil.copytree(formatted, self._data)
        # All that differs: the ids of the cluster, of the broker in it, and of the folder, which no two brokers share.
        own = {"cluster.id": kafka_id, "node.id": str(self.plan.quorum.number), "directory.id": new_kafka_id()}
        described = self._data / "meta.properties"
        lines = [line.partition("=") for line in described.read_text().splitlines() if not line.startswith("#")]
        described.write_text("".join(f"{key}={own.get(key, value)}\n" for key, _, value in lines))

    def _run_format(self, properties: Path, formatted: Path) -> None:
        command = java_command(self.plan.settings.version, "-XX:TieredStopAtLevel=1", main="kafka.tools.StorageTool")
        with self.plan.log.open("ab") as log:
            subprocess.run(
                [*command, "format", "-t", new_kafka_id(), "-c", str(properties)],
                stdout=log,
                stderr=subprocess.STDOUT,
                check=True,
            )
        shutil.move(self._data, formatted)
