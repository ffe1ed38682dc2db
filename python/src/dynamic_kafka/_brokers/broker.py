"""One broker of a Kafka cluster, as a process of this machine."""

from __future__ import annotations

import base64
import shutil
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dynamic_kafka._brokers import SetupError
from dynamic_kafka._brokers.made_once import made_once
from dynamic_kafka._brokers.settings import LOGGING, SMALL_JAVA, placed
from dynamic_kafka._brokers.supervised import Supervised

# Of a broker that archives its classes at the end, on a busy machine.
_STOP_SECONDS = 60
_QUICK = "-XX:TieredStopAtLevel=1"
_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True)
class Kafka:
    """One version of Kafka: a Java, and the class path of Kafka's server and tools."""

    java: str
    class_path: str

    def command(self, main: str, *options: str) -> list[str]:
        """What runs one of Kafka's programs, with these options of Java; the program's arguments follow."""
        return [self.java, *options, *LOGGING, "-cp", self.class_path, main]


def new_kafka_id() -> str:
    """22 characters of Base64, as Kafka makes them. None begins with a dash, which would look like an option."""
    made = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    return made if not made.startswith("-") else new_kafka_id()


class Broker:
    """Keeps its data below ``folder`` over all its starts. Each is a process of its own, which never outlives this one,
    however this one ends."""

    def __init__(
        self,
        name: str,
        folder: Path,
        kafka: Kafka,
        properties: Mapping[str, str],
        java_options: Sequence[str] = SMALL_JAVA,
    ) -> None:
        """``properties`` are the server's, except the folder of its data."""
        self.name = name
        # The file that holds everything it printed, over all its starts.
        self.log = folder / "broker.log"
        self.kafka = kafka
        self.folder = folder
        self._data = folder / "data"
        self._given = properties
        self._java_options = java_options
        self._process: Supervised | None = None

    @property
    def number(self) -> int:
        """Its number in its cluster."""
        return int(self._given["node.id"])

    @property
    def address(self) -> str:
        """The address of its first listener, for clients."""
        return self._given["advertised.listeners"].partition("://")[2].partition(",")[0]

    def start(self, kafka_id: str) -> None:
        """Starts on the data that is there, else as a broker of the cluster with this id. Returns before it answers."""
        if self.is_running():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "server.properties"
        file.write_text("".join(f"{key}={value}\n" for key, value in sorted(self._properties().items())))
        if not self._data.exists():
            self._format(file, kafka_id)
        self._process = Supervised(self._command(file), self.log)

    def is_running(self) -> bool:
        return self._process is not None and self._process.runs()

    def stop(self) -> None:
        """Shuts it down in good order."""
        if self._process:
            self._process.signal("SIGCONT")
            self._process.signal("SIGTERM")
            try:
                self._process.end(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """Ends it at once. May be called again."""
        if self._process:
            self._process.kill()

    def pause(self) -> None:
        """Freezes it: connections stay open, requests get no answer."""
        assert self._process, "the broker was not started"  # noqa: S101 - a rule for callers
        self._process.stop(within=_STOP_SECONDS)

    def resume(self) -> None:
        if self._process:
            self._process.signal("SIGCONT")

    def wipe(self) -> None:
        """Deletes its data."""
        shutil.rmtree(self._data, ignore_errors=True)

    def last_words(self) -> str:
        """The lines of its log that say best what is wrong: its errors, else its last lines."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        errors = [line for line in lines if " ERROR " in line or "Exception" in line]
        return "From its log:\n" + "\n".join((errors or lines)[-20:])

    def _command(self, properties: Path) -> list[str]:
        return [*self.kafka.command("kafka.Kafka", *self._java_options), str(properties)]

    def _properties(self) -> dict[str, str]:
        return {**self._given, "log.dirs": str(self._data)}

    def _format(self, properties: Path, kafka_id: str) -> None:
        formatted = made_once("formatted", partial(self._run_format, properties), of=self.kafka.class_path)
        shutil.copytree(formatted, self._data)
        # All that differs: the ids of the cluster, of the broker in it, and of the folder, which no two brokers share.
        own = {"cluster.id": kafka_id, "node.id": str(self.number), "directory.id": new_kafka_id()}
        described = self._data / "meta.properties"
        lines = [line.partition("=") for line in described.read_text().splitlines() if not line.startswith("#")]
        described.write_text("".join(f"{key}={own.get(key, value)}\n" for key, _, value in lines))

    def _run_format(self, properties: Path, formatted: Path) -> None:
        tool = [*self.kafka.command("kafka.tools.StorageTool", _QUICK), "format", "-t", new_kafka_id()]
        with self.log.open("ab") as log:
            done = subprocess.run([*tool, "-c", str(properties)], stdout=log, stderr=log, check=False)  # noqa: S603 - Kafka's
        if done.returncode:
            raise SetupError(f"Kafka broker {self.name} can't be set up. {self.last_words()}")
        shutil.move(self._data, formatted)


def single_broker(
    name: str, folder: Path, kafka: Kafka, port: int, controller: int, properties: Mapping[str, str] = _NOTHING
) -> Broker:
    """The one broker of a cluster, which clients find at ``port``. ``properties`` are the server's, and win."""
    listening = placed(1, {1: controller}, {"CLIENT": port})
    # Records of tests may be of another year.
    return Broker(name, folder, kafka, {**listening, "log.retention.ms": "-1", **properties})
