"""The metadata file of a run: what it lists, and how it is broken and mended."""

import random
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from dynamic_kafka import ClusterMetadata

from tests.chaos.journal import Journal
from tests.chaos.places import other_id
from tests.chaos.script import Kind
from tests.scenarios.listing import FileListing

Properties = Callable[[], Mapping[str, str]]
Marked = TypeVar("Marked")


class MetadataFile:
    """One stream, on these topics of these clusters. What changes while the file is broken is in it once it is mended.

    Safe from any thread. ``properties`` gives, for each cluster, how to connect to it at the moment. Clusters go by
    the names of their homes, whatever ids they are listed under.
    """

    def __init__(
        self, file: FileListing, journal: Journal, stream: str, properties: Mapping[str, Properties], *topics: str
    ) -> None:
        self._file = file
        self._journal = journal
        self._stream = stream
        self._properties = properties
        self._topics = {(cluster, topic) for cluster in properties for topic in topics}
        # Under which ids each is listed; the last one is to stay.
        self._ids = {cluster: [cluster] for cluster in properties}
        self._lines = {cluster: {other_id(cluster): cluster} for cluster in properties}
        self._without_line: set[str] = set()
        self._paused: set[str] = set()
        self._paused_topics: set[tuple[str, str]] = set()
        self._away: set[str] = set()
        self._inactive: set[str] = set()
        self._broken = False
        self._turn = threading.RLock()
        self.publish()

    def publish(self) -> None:
        """Puts the file in place as it should be at the moment, unless it is broken."""
        with self._turn:
            if not self._broken:
                inactive = {id_ for cluster in self._inactive for id_ in self._ids[cluster]}
                self._file.publish_all({self._stream: self._clusters()}, inactive)

    def take_off(self, cluster: str, *topics: str) -> float:
        """Returns the second of the run up to which they were listed for certain."""
        with self._turn:
            before = self._journal.now()
            self._topics -= {(cluster, topic) for topic in topics}
            self.publish()
            return before

    def list(self, cluster: str, *topics: str) -> None:
        with self._turn:
            self._topics |= {(cluster, topic) for topic in topics}
            self.publish()

    def topics(self, cluster: str) -> set[str]:
        """Those that are listed of a cluster."""
        with self._turn:
            return {topic for name, topic in self._topics if name == cluster}

    def id_of(self, cluster: str) -> str:
        """The id that it is listed under."""
        with self._turn:
            return self._ids[cluster][-1]

    def list_under(self, cluster: str, *ids: str) -> None:
        """Lists a cluster under these ids. The one that is not its name says that it continues the one that is: that
        goes for both ways, since who has read it goes on where both are listed, and else the one that is listed. Once
        this line was taken away, no offset says it of a topic that was created since. So the next id says what it
        continues, in either direction."""
        with self._turn:
            if cluster in self._without_line:
                self._lines[cluster] = {ids[-1]: self._ids[cluster][-1]}
            self._ids[cluster] = list(ids)
            self._without_line.discard(cluster)
            self.publish()

    def drop_line(self, cluster: str) -> None:
        """From now on, until it is renamed again, nothing says what its id continues."""
        with self._turn:
            self._without_line.add(cluster)
            self.publish()

    @contextmanager
    def without_topics(self, cluster: str, *topics: str) -> Iterator[None]:
        """Those among them that are listed are not, for the block."""
        with self._turn:
            taken = [topic for topic in topics if (cluster, topic) in self._topics]
            self.take_off(cluster, *taken)
        try:
            yield
        finally:
            self.list(cluster, *taken)

    @contextmanager
    def without_cluster(self, cluster: str) -> Iterator[None]:
        yield from self._marked(self._away, cluster)

    @contextmanager
    def inactive(self, cluster: str) -> Iterator[None]:
        yield from self._marked(self._inactive, cluster)

    @contextmanager
    def paused(self, cluster: str, topic: str | None = None) -> Iterator[None]:
        """The cluster is, or this topic of it, whether it is listed or not."""
        if topic is None:
            yield from self._marked(self._paused, cluster)
        else:
            yield from self._marked(self._paused_topics, (cluster, topic))

    @contextmanager
    def broken(self, how: Kind, draw: float) -> Iterator[None]:
        """Breaks the file where it lies, not as a careful writer would."""
        with self._turn:
            self._broken = True
            _break(self._file, how, draw)
        try:
            yield
        finally:
            with self._turn:
                self._broken = False
                self.publish()

    def _marked(self, among: set[Marked], marked: Marked) -> Iterator[None]:
        with self._turn:
            among.add(marked)
            self.publish()
        try:
            yield
        finally:
            with self._turn:
                among.discard(marked)
                self.publish()

    def _clusters(self) -> dict[str, ClusterMetadata]:
        return {
            id_: ClusterMetadata(
                self.topics(cluster), properties(), continues=self._line(cluster, id_), paused=self._pause(cluster)
            )
            for cluster, properties in self._properties.items()
            if cluster not in self._away
            for id_ in self._ids[cluster]
        }

    def _line(self, cluster: str, id_: str) -> str | None:
        """What this id of a cluster says that it continues."""
        return None if cluster in self._without_line else self._lines[cluster].get(id_)

    def _pause(self, cluster: str) -> bool | Collection[str]:
        return cluster in self._paused or [topic for name, topic in self._paused_topics if name == cluster]


def _break(file: FileListing, how: Kind, draw: float) -> None:
    text = file.path.read_text()
    if how is Kind.FILE_MISSING:
        file.path.unlink()
    elif how is Kind.FILE_EMPTIED:
        file.path.write_text("")
    elif how is Kind.FILE_GARBLED:
        file.path.write_bytes(random.Random(draw).randbytes(200))
    else:
        # Anywhere: what is left may even be a good file, which says less.
        file.path.write_text(text[: int(draw * len(text))])
