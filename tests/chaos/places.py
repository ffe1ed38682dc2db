"""Where records are."""

from typing import NamedTuple

_RENAMED = " renamed"

# The topic that loses records which were confirmed, where a cluster has several brokers.
CUT_TOPIC = "cut-off"


def other_id(cluster_id: str) -> str:
    """The id that a cluster has after it was renamed, and back."""
    return home(cluster_id) if cluster_id.endswith(_RENAMED) else cluster_id + _RENAMED


def home(cluster_id: str) -> str:
    """The name of a cluster, under whichever id it is listed."""
    return cluster_id.removesuffix(_RENAMED)


class Source(NamedTuple):
    """A topic of a cluster; ``generation`` counts how often it was deleted and created again, or cut off."""

    cluster: str
    topic: str
    generation: int

    def __str__(self) -> str:
        return f"{self.cluster}/{self.topic}/{self.generation}"


class Ack(NamedTuple):
    """A record that its broker has confirmed, ``at`` seconds after the run began."""

    source: Source
    partition: int
    offset: int
    at: float


class Row(NamedTuple):
    """A record in the table, with the batch that brought it there; ``cluster`` is the id that it was read under, and
    ``place`` the file that a task wrote it into, and its line there."""

    id: str
    cluster: str
    topic: str
    partition: int
    offset: int
    batch: int
    place: tuple[str, int] = ("", 0)
