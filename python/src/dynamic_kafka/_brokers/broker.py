"""A Kafka cluster of one broker, on this machine alone."""

from __future__ import annotations

import base64
import socket
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from dynamic_kafka._brokers import SetupError
from dynamic_kafka._brokers.settings import LOGGING, SMALL_BROKER, SMALL_JAVA
from dynamic_kafka._brokers.supervised import Supervised

_HOST = "127.0.0.1"
_PATIENCE = 90.0


class Broker:
    """Keeps its data below ``folder``. It does not outlive the process that started it, however that one ends.

    A topic comes into being when the first record is written to it.
    """

    def __init__(self, name: str, folder: Path, java: str, class_path: str) -> None:
        self.name = name
        self.address = f"{_HOST}:{_free_port()}"
        self._controller = f"{_HOST}:{_free_port()}"
        self._folder = folder
        self._java = [java, *SMALL_JAVA, *LOGGING, "-cp", class_path]
        self._log = folder / "broker.log"
        self._process: Supervised | None = None

    def java_command(self, main: str, *arguments: str) -> list[str]:
        """What runs one of Kafka's programs."""
        return [*self._java, main, *arguments]

    def start(self) -> None:
        """Returns before it answers."""
        self._folder.mkdir(parents=True)
        settings = self._folder / "server.properties"
        settings.write_text("".join(f"{key}={value}\n" for key, value in self._properties().items()))
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        formatting = self.java_command("kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "--config")
        with self._log.open("w") as log:
            formatted = subprocess.run(  # noqa: S603 - Kafka's own tool
                [*formatting, str(settings)], stdout=log, stderr=log, check=False, start_new_session=True
            )
        if formatted.returncode:
            raise SetupError(f"Kafka cluster {self.name} can't be set up. {self.last_words()}")
        self._process = Supervised(self.java_command("kafka.Kafka", str(settings)), self._log)

    def await_start(self, check: Callable[[], None]) -> None:
        """Returns when it can be used. ``check`` may end the wait by an exception."""
        deadline = time.monotonic() + _PATIENCE
        while "Kafka Server started" not in self._log.read_text(errors="replace"):
            check()
            if self._process is None or not self._process.runs() or time.monotonic() > deadline:
                raise SetupError(f"Kafka cluster {self.name} did not start. {self.last_words()}")
            time.sleep(0.1)

    def last_words(self) -> str:
        """The lines of its log that say best what is wrong."""
        lines = self._log.read_text(errors="replace").splitlines() if self._log.exists() else []
        errors = [line for line in lines if " ERROR " in line or "Exception" in line]
        return "From its log:\n" + "\n".join((errors or lines)[-10:])

    def kill(self) -> None:
        """Ends it at once. May be called again."""
        if self._process:
            self._process.kill()

    def _properties(self) -> dict[str, str]:
        topics = ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")
        return {
            **SMALL_BROKER,
            **{f"{topic}.replication.factor": "1" for topic in topics},
            "auto.create.topics.enable": "true",
            "num.partitions": "3",
            "node.id": "1",
            "log.dirs": str(self._folder / "data"),
            "controller.quorum.voters": f"1@{self._controller}",
            "listeners": f"CLIENT://{self.address},CONTROLLER://{self._controller}",
            "advertised.listeners": f"CLIENT://{self.address}",
            "inter.broker.listener.name": "CLIENT",
            "listener.security.protocol.map": "CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])
