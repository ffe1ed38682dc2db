"""Where one broker lives."""

from dataclasses import dataclass
from pathlib import Path

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
