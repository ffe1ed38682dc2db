"""Streams and clusters as values, and the interface of the service that answers with them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dynamic_kafka._checks import METADATA
from dynamic_kafka._offsets import Offsets, offsets_text


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ClusterMetadata:
    """The topics of one cluster that carry part of a stream, and how to reach the cluster. Immutable.

    The address is the property `bootstrap.servers`. No topics at all keep the cluster listed for its connection
    alone, while its topics drain. Offsets given as a mapping are kept as JSON text. `repr` shows no property's value.
    """

    topics: frozenset[str]
    properties: Mapping[str, str]
    starting_offsets: str | None
    ending_offsets: str | None

    def __init__(
        self,
        topics: Iterable[str],
        properties: Mapping[str, str],
        starting_offsets: Offsets | None = None,
        ending_offsets: Offsets | None = None,
    ) -> None:
        """Raises `MetadataTypeError`, a `TypeError`, if a value is of another type; a bare str is no set of topics."""
        object.__setattr__(self, "topics", METADATA.texts("topics", topics))
        object.__setattr__(self, "properties", METADATA.text_mapping("properties", properties))
        object.__setattr__(self, "starting_offsets", _own_offsets("starting_offsets", starting_offsets))
        object.__setattr__(self, "ending_offsets", _own_offsets("ending_offsets", ending_offsets))

    def __repr__(self) -> str:
        hidden = ", ".join(f"{name!r}: ..." for name in sorted(self.properties))
        return (
            f"ClusterMetadata(topics={sorted(self.topics)}, properties={{{hidden}}}, "
            f"starting_offsets={self.starting_offsets!r}, ending_offsets={self.ending_offsets!r})"
        )

    def __hash__(self) -> int:
        # The generated one fails on the mapping.
        return hash((self.topics, frozenset(self.properties.items()), self.starting_offsets, self.ending_offsets))

    def __reduce__(self) -> tuple[object, ...]:
        # A read-only view of a mapping can't be pickled, nor copied deeply.
        fields = (self.topics, dict(self.properties), self.starting_offsets, self.ending_offsets)
        return type(self), fields


@dataclass(frozen=True, slots=True, init=False)
class KafkaStream:
    """A logical stream: its id, and what carries it on each cluster, by cluster id. Immutable."""

    stream_id: str
    clusters: Mapping[str, ClusterMetadata]

    def __init__(self, stream_id: str, clusters: Mapping[str, ClusterMetadata]) -> None:
        """Raises `MetadataTypeError`, a `TypeError`, if a value is of another type."""
        object.__setattr__(self, "stream_id", METADATA.text("stream_id", stream_id))
        copied = {}
        for cluster_id, cluster in METADATA.mapping("clusters", clusters).items():
            if not isinstance(cluster, ClusterMetadata):
                raise METADATA.wrong_type(f"clusters[{cluster_id!r}]", cluster, "a ClusterMetadata")
            copied[METADATA.text("A key of clusters", cluster_id)] = cluster
        object.__setattr__(self, "clusters", MappingProxyType(copied))

    def __hash__(self) -> int:
        return hash((self.stream_id, frozenset(self.clusters.items())))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.stream_id, dict(self.clusters))


class MetadataService(ABC):
    """Answers which streams exist, what they map to, and whether a cluster is active. Subclass it for your own.

    It lives on the driver alone, and is asked on threads of the source, one call at a time over all queries that use
    it. What it raises is a failed fetch. It belongs to its maker: the source never closes it.
    """

    @abstractmethod
    def all_streams(self) -> Collection[KafkaStream]:
        """Every stream there is."""

    @abstractmethod
    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        """These streams by their ids. An id that it does not know is left out."""

    @abstractmethod
    def is_cluster_active(self, cluster_id: str) -> bool:
        """Whether the cluster is expected to answer at present.

        Asked of listed clusters, and of those that are no longer listed while they drain: there an error counts as no.
        """

    def close(self) -> None:  # noqa: B027, most services hold nothing, so this need not be overridden
        """Frees what the service holds. May come at any time, and should free a call that hangs."""


def _own_offsets(name: str, value: object) -> str | None:
    return None if value is None else offsets_text(METADATA, name, value)
