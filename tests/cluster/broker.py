"""What a cluster needs of what runs its broker: a process or a container."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.cluster.server_settings import Listeners, Quorum, ServerSettings


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


class Broker(Protocol):
    """One broker. None of these waits for Kafka to answer; that is the cluster's part."""

    @property
    def host(self) -> str:
        """The name or address under which the broker is reached."""

    def start(self, kafka_id: str) -> None:
        """Starts it, on the data it had; on none, as a member of a cluster with this id."""

    def is_running(self) -> bool:
        """Whether it has been started and has not ended. A paused one runs."""

    def stop(self) -> None:
        """Has it shut down in good order, and returns when it is gone."""

    def kill(self) -> None:
        """SIGKILL; returns when it is gone."""

    def pause(self) -> None:
        """SIGSTOP: it holds its connections and answers nothing."""

    def resume(self) -> None:
        """Ends a pause; harmless without one."""

    def wipe(self) -> None:
        """Takes all its data away. Only when it is not running."""

    def keep_log(self) -> None:
        """Brings ``plan.log`` up to date."""


@dataclass(frozen=True, slots=True)
class Member:
    """One broker of a cluster, and where it lives."""

    plan: BrokerPlan
    broker: Broker
