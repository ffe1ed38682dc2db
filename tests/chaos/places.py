"""Where records are."""

from typing import NamedTuple


class Source(NamedTuple):
    """A topic of a cluster; ``generation`` counts how often it was deleted and created again."""

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
    """A record in the table, with the batch that brought it there."""

    id: str
    cluster: str
    topic: str
    partition: int
    offset: int
    batch: int
