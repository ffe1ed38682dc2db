"""A checkpoint that a version left behind, kept as a template: Kafka's ids, which differ for each cluster, are
placeholders such as `@cluster a@` and `@topic a kept-orders@`. Those of Spark's own source are one text each, of the
lines of each file, a character for each byte."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.cluster import KafkaCluster, Record

FOLDER = Path(__file__).parent

Clusters = Mapping[str, KafkaCluster]


@dataclass(frozen=True, kw_only=True)
class Story:
    """What lay in Kafka, and what the query had read when it ended.

    ``topics``: by cluster and topic, the number of partitions. ``records``: cluster, topic, partition and values, in
    the order in which they were written. ``deleted``: cluster, topic, partition and offset; what lies before is gone.
    ``read``: by batch, the values it held.
    """

    topics: dict[str, dict[str, int]]
    records: list[tuple[str, str, int, list[str]]] = field(default_factory=list)
    deleted: list[tuple[str, str, int, int]] = field(default_factory=list)
    read: dict[str, list[str]] = field(default_factory=dict)

    def create(self, clusters: Clusters) -> None:
        for name, topics in self.topics.items():
            for topic, partitions in topics.items():
                clusters[name].create_topic(topic, partitions)

    def write(self, clusters: Clusters) -> None:
        """Writes all records into topics that are empty, and deletes what was deleted."""
        for name, topic, partition, values in self.records:
            clusters[name].produce(topic, [Record(None, value, partition=partition) for value in values])
        for name, topic, partition, before in self.deleted:
            clusters[name].delete_records(topic, {partition: before})

    def remove(self, clusters: Clusters) -> None:
        for name, topics in self.topics.items():
            for topic in topics:
                clusters[name].delete_topic(topic)

    def unread(self) -> list[str]:
        """What was written, is still there and was in no batch."""
        logs: dict[tuple[str, str, int], list[str]] = {}
        for name, topic, partition, values in self.records:
            logs.setdefault((name, topic, partition), []).extend(values)
        for name, topic, partition, before in self.deleted:
            del logs[name, topic, partition][:before]
        read = {value for batch in self.read.values() for value in batch}
        return [value for log in logs.values() for value in log if value not in read]


@dataclass(frozen=True)
class KeptCheckpoint:
    """Where one version's checkpoint is kept."""

    version: str

    @property
    def folder(self) -> Path:
        return FOLDER / self.version / "checkpoint"

    @property
    def _story(self) -> Path:
        return FOLDER / self.version / "checkpoint.json"

    def story(self) -> Story:
        return Story(**json.loads(self._story.read_text()))

    def keep(self, checkpoint: Path, story: Story, clusters: Clusters) -> None:
        """Keeps a checkpoint. Raises ``FileExistsError`` if one of this version is kept already."""
        # Spark's checksums would not fit any more.
        shutil.copytree(checkpoint, self.folder, ignore=shutil.ignore_patterns(".*.crc"))
        self._replace({kafka: placeholder for placeholder, kafka in _ids(story, clusters).items()}, self.folder)
        self._story.write_text(json.dumps(asdict(story)) + "\n")

    def restore(self, into: Path, clusters: Clusters) -> None:
        """The checkpoint as if it had been written for these clusters, which have the story's topics."""
        shutil.copytree(self.folder, into)
        self._replace(_ids(self.story(), clusters), into)

    @staticmethod
    def _replace(texts: Mapping[str, str], folder: Path) -> None:
        for path in (folder / "offsets").iterdir():
            text = path.read_text()
            for old, new in texts.items():
                text = text.replace(f'"{old}"', f'"{new}"')
            path.write_text(text)


def kept_checkpoints() -> list[KeptCheckpoint]:
    return [KeptCheckpoint(path.parent.name) for path in sorted(FOLDER.glob("*/checkpoint"))]


def packed(checkpoint: Path) -> dict[str, list[str]]:
    """The lines of each file of a checkpoint."""
    files = sorted(path for path in checkpoint.rglob("*") if path.is_file())
    return {path.relative_to(checkpoint).as_posix(): path.read_bytes().decode("latin-1").split("\n") for path in files}


def unpacked(version: str, kind: str, into: Path) -> Path:
    """A checkpoint that a version of Spark wrote with its own source, as the folder it was."""
    for name, lines in json.loads((FOLDER / "spark" / f"{version}.json").read_text())[kind].items():
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        (into / name).write_bytes("\n".join(lines).encode("latin-1"))
    return into


def _ids(story: Story, clusters: Clusters) -> dict[str, str]:
    """By placeholder, Kafka's id."""
    topics = [(name, topic) for name, topics in story.topics.items() for topic in topics]
    return {f"@cluster {name}@": clusters[name].kafka_id for name in story.topics} | {
        f"@topic {name} {topic}@": clusters[name].topic_id(topic) for name, topic in topics
    }
