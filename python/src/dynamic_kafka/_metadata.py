"""Streams and clusters as values, and the interface of metadata services."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from dynamic_kafka._checks import METADATA
from dynamic_kafka._offsets import Offsets, offsets_text
from dynamic_kafka._redaction import ADDRESS, shown_properties
from dynamic_kafka._stream_fields import stream_fields


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ClusterMetadata:
    """The topics of one cluster that carry part of a stream, and how to reach the cluster. Immutable.

    The address is `bootstrap_servers` or the property `bootstrap.servers`: set one of them, then both can be read.
    Without topics the cluster is listed only for its connection, while its topics drain. Offsets given as a mapping
    are kept as JSON text.

    `continues` names one or several earlier ids of the cluster: reading continues where they were read to. `paused` is
    True for the whole cluster, or names its paused topics. `repr` shows the address, and no other property's value.

        >>> ClusterMetadata(["orders"], {"sasl.jaas.config": "${env:JAAS}"}, bootstrap_servers="b1:9092", paused=True)
        ClusterMetadata(['orders'], {'bootstrap.servers': 'b1:9092', 'sasl.jaas.config': ...}, paused=True)
    """

    topics: frozenset[str]
    properties: Mapping[str, str]
    starting_offsets: str | None
    ending_offsets: str | None
    continues: frozenset[str]
    paused: bool | frozenset[str]

    def __init__(
        self,
        topics: Iterable[str],
        properties: Mapping[str, str] | None = None,
        *,
        bootstrap_servers: str | None = None,
        starting_offsets: Offsets | None = None,
        ending_offsets: Offsets | None = None,
        continues: str | Iterable[str] | None = None,
        paused: bool | Iterable[str] = False,
    ) -> None:
        """Raises `MetadataTypeError`, a `TypeError`, for a value of the wrong type, such as a bare str as topics."""
        object.__setattr__(self, "topics", METADATA.texts("topics", topics))
        object.__setattr__(self, "properties", METADATA.addressed(properties, bootstrap_servers))
        object.__setattr__(self, "starting_offsets", _own_offsets("starting_offsets", starting_offsets))
        object.__setattr__(self, "ending_offsets", _own_offsets("ending_offsets", ending_offsets))
        object.__setattr__(self, "continues", _continues(continues))
        object.__setattr__(self, "paused", _paused(paused))

    @property
    def bootstrap_servers(self) -> str | None:
        """The address, in whichever way it was set. None if the query's `kafka.bootstrap.servers` applies."""
        return self.properties.get(ADDRESS)

    def __repr__(self) -> str:
        further = {
            "starting_offsets": self.starting_offsets,
            "ending_offsets": self.ending_offsets,
            "continues": sorted(self.continues),
            "paused": self.paused if isinstance(self.paused, bool) else sorted(self.paused),
        }
        given = "".join(f", {name}={value!r}" for name, value in further.items() if value)
        return f"ClusterMetadata({sorted(self.topics)}, {shown_properties(self.properties)}{given})"

    def __hash__(self) -> int:
        # The generated `__hash__` fails on the mapping.
        offsets = (self.starting_offsets, self.ending_offsets)
        return hash((self.topics, frozenset(self.properties.items()), offsets, self.continues, self.paused))

    def __reduce__(self) -> tuple[object, ...]:
        # A read-only view of a mapping can't be pickled or deep-copied.
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return _restored, (type(self), values | {"properties": dict(self.properties)})


@dataclass(frozen=True, slots=True, init=False)
class KafkaStream:
    """A logical stream: its id, and the clusters that carry it, by cluster id. Immutable.

    >>> orders = KafkaStream("orders", {"eu-1": ClusterMetadata(["orders"], bootstrap_servers="b1:9092")})
    >>> orders.clusters["eu-1"].bootstrap_servers
    'b1:9092'
    """

    stream_id: str
    clusters: Mapping[str, ClusterMetadata]

    def __init__(self, stream_id: str, clusters: Mapping[str, ClusterMetadata]) -> None:
        """Raises `MetadataTypeError`, a `TypeError`, for a value of the wrong type."""
        object.__setattr__(self, "stream_id", METADATA.text("stream_id", stream_id))
        copied = {}
        for cluster_id, cluster in METADATA.mapping("clusters", clusters).items():
            if not isinstance(cluster, ClusterMetadata):
                raise METADATA.wrong_type(f"clusters[{cluster_id!r}]", cluster, "a ClusterMetadata")
            copied[METADATA.text("A key of clusters", cluster_id)] = cluster
        object.__setattr__(self, "clusters", MappingProxyType(copied))

    @classmethod
    def from_dict(cls, fields: Mapping[str, object]) -> KafkaStream:
        """The stream that these fields describe, in the shape of an entry of the YAML file: docs/metadata.md.

        Placeholders such as `${env:NAME}` stay as they are; the driver resolves them. Raises `InvalidMetadataError`, or
        for a value of the wrong type `MetadataTypeError`, and names the field.

            >>> cluster = {"clusterId": "eu-1", "bootstrapServers": "b1:9092", "topics": ["orders"]}
            >>> KafkaStream.from_dict({"streamId": "orders", "clusterMetadataList": [cluster]}).clusters["eu-1"]
            ClusterMetadata(['orders'], {'bootstrap.servers': 'b1:9092'})
        """
        stream_id, clusters = stream_fields(fields)
        return cls(stream_id, {id_: ClusterMetadata(**arguments) for id_, arguments in clusters.items()})

    def __hash__(self) -> int:
        return hash((self.stream_id, frozenset(self.clusters.items())))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.stream_id, dict(self.clusters))


class MetadataService(ABC):
    """Answers which streams exist, what they map to, and whether a cluster is active. Subclass it for your own service.

    It is used only on the driver. The source calls it from its own threads, one call at a time over all queries that
    use it. An exception is a failed fetch. The source never closes it: it belongs to the program that made it.

        >>> class Registry(MetadataService):
        ...     def all_streams(self):
        ...         return [KafkaStream("orders", {"eu-1": ClusterMetadata(["orders"], bootstrap_servers="b1:9092")})]
        >>> Registry().describe_streams(["orders", "unknown"]).keys()
        dict_keys(['orders'])
        >>> Registry().is_cluster_active("eu-1")
        True

    `all_streams` is enough: what a fetch needs further is taken from one call of it. Override the others where the
    service can answer them with less, or knows more.
    """

    @abstractmethod
    def all_streams(self) -> Collection[KafkaStream]:
        """All streams."""

    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        """The streams with these ids, by id. Leave out ids that the service does not know.

        By default those of `all_streams`.
        """
        wanted = frozenset(stream_ids)
        return {stream.stream_id: stream for stream in self.all_streams() if stream.stream_id in wanted}

    def is_cluster_active(self, cluster_id: str) -> bool:
        """Whether the cluster is expected to answer. By default: whether a stream lists it.

        Called for listed and draining clusters. An error for a cluster that is no longer listed counts as no.
        """
        return any(cluster_id in stream.clusters for stream in self.all_streams())

    def close(self) -> None:  # noqa: B027, most services have nothing to close, so this need not be overridden
        """Closes the service. May be called at any time, and should end a call that hangs. By default nothing."""


def _own_offsets(name: str, value: object) -> str | None:
    return None if value is None else offsets_text(METADATA, name, value)


def _continues(value: object) -> frozenset[str]:
    if value is None:
        return frozenset()
    ids = frozenset({value}) if isinstance(value, str) else METADATA.texts("continues", value, or_else="a str or ")
    if "" in ids:
        raise METADATA.value_error("continues names an empty id; expected the earlier ids of the cluster.")
    return ids


def _paused(value: object) -> bool | frozenset[str]:
    # An empty set of topics is the same as False: equal pauses are equal values.
    return value if isinstance(value, bool) else METADATA.texts("paused", value, or_else="a bool or ") or False


def _restored(kind: type[ClusterMetadata], values: dict[str, Any]) -> ClusterMetadata:
    return kind(**values)
