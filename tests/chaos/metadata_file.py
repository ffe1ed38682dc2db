"""The metadata file of a run: what it lists, and how it is broken and mended."""

import random
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from dynamic_kafka import ClusterMetadata

from tests.chaos.journal import Journal
from tests.chaos.script import Kind
from tests.scenarios.listing import FileListing

Properties = Callable[[], Mapping[str, str]]


class MetadataFile:
    """One stream, on these topics of these clusters. What changes while the file is broken is in it once it is mended.

    Safe from any thread. ``properties`` gives, for each cluster, how to connect to it at the moment. Clusters are told
    by the names of their homes, whatever ids they are listed under.
    """

    def __init__(
        self, file: FileListing, journal: Journal, stream: str, properties: Mapping[str, Properties], *topics: str
    ) -> None:
        self._file = file
        self._journal = journal
        self._stream = stream
        self._properties = properties
        self._topics = {(cluster, topic) for cluster in properties for topic in topics}
        self._ids = {cluster: cluster for cluster in properties}
        self._left: dict[str, str] = {}
        self._starting: dict[str, str] = {}
        self._away: set[str] = set()
        self._inactive: set[str] = set()
        self._broken = False
        self._turn = threading.RLock()
        self.publish()

    def publish(self) -> None:
        """Puts the file in place as it should be at the moment, unless it is broken."""
        with self._turn:
            if not self._broken:
                inactive = {self._ids[cluster] for cluster in self._inactive}
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
            return self._ids[cluster]

    def rename(self, cluster: str, new: str, left: str | None = None, starting: str | None = None) -> None:
        """Lists a cluster under this id, with these starting offsets of its own; and beside it, with no topics, under
        the one that is ``left``."""
        with self._turn:
            self._ids[cluster] = new
            for told, value in ((self._left, left), (self._starting, starting)):
                told.pop(cluster, None)
                if value is not None:
                    told[cluster] = value
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

    def _marked(self, among: set[str], cluster: str) -> Iterator[None]:
        with self._turn:
            among.add(cluster)
            self.publish()
        try:
            yield
        finally:
            with self._turn:
                among.discard(cluster)
                self.publish()

    def _clusters(self) -> dict[str, ClusterMetadata]:
        found = {}
        for cluster, properties in self._properties.items():
            if cluster not in self._away:
                starting = self._starting.get(cluster)
                found[self._ids[cluster]] = ClusterMetadata(
                    self.topics(cluster), properties(), starting_offsets=starting
                )
                if cluster in self._left:
                    found[self._left[cluster]] = ClusterMetadata([], properties())
        return found


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
