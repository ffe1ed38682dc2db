"""A metadata service that asks a database. SQLite stands for the one that your company has."""

import sqlite3
from collections import defaultdict
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from dynamic_kafka import ClusterMetadata, KafkaStream, MetadataService

_LISTED = """
    SELECT topics.stream, clusters.id, clusters.bootstrap_servers, topics.topic
    FROM topics JOIN clusters ON clusters.id = topics.cluster
"""


class Registry(MetadataService):
    """Asks anew at each call. What it raises, the source takes for a failed fetch: it keeps the streams that it had."""

    def __init__(self, database: Path) -> None:
        self._database = database

    def all_streams(self) -> Collection[KafkaStream]:
        topics: dict[str, dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
        for stream, cluster, address, topic in self._ask(_LISTED):
            topics[stream][cluster, address].add(topic)
        return [
            KafkaStream(
                stream, {cluster: ClusterMetadata(its, bootstrap_servers=at) for (cluster, at), its in on.items()}
            )
            for stream, on in topics.items()
        ]

    def is_cluster_active(self, cluster_id: str) -> bool:
        return self._ask("SELECT 1 FROM clusters WHERE id = ? AND active", cluster_id) != []

    def _ask(self, query: str, *parameters: str) -> list[tuple[str, ...]]:
        # A connection belongs to the thread that opened it, and the source asks from a thread of its own.
        with closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as connection:
            return connection.execute(query, parameters).fetchall()
