"""The services that come with the package."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from dynamic_kafka._checks import METADATA, OPTIONS
from dynamic_kafka._metadata import KafkaStream, MetadataService
from dynamic_kafka._shown import shown_address, shown_properties

ConfigValue: TypeAlias = "str | bool | int | float"

# A path of Hadoop, such as `s3a://bucket/streams.yaml`, or one that begins with a placeholder. One letter is a drive.
_NOT_LOCAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/|\$\{")


class InMemoryMetadataService(MetadataService):
    """Streams that the program itself adds and removes while queries run: for tests and notebooks.

    Any thread may change them. Every cluster is active until it is deactivated.
    """

    def __init__(self, streams: Iterable[KafkaStream] = ()) -> None:
        """Of two streams with the same id the later one counts."""
        self._lock = threading.Lock()
        self._streams: dict[str, KafkaStream] = {}
        self._inactive: set[str] = set()
        for stream in streams:
            self.put(stream)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(InMemoryMetadataService.all_streams(self))!r})"

    def put(self, stream: KafkaStream) -> None:
        """Adds a stream, in place of the one with the same id if there is one."""
        if not isinstance(stream, KafkaStream):
            raise METADATA.wrong_type("The stream", stream, "a KafkaStream")
        with self._lock:
            self._streams[stream.stream_id] = stream

    def remove(self, stream_id: str) -> None:
        """Removes a stream. An id that is not there changes nothing."""
        with self._lock:
            self._streams.pop(stream_id, None)

    def deactivate(self, cluster_id: str) -> None:
        """Says that a cluster is not expected to answer."""
        with self._lock:
            self._inactive.add(cluster_id)

    def activate(self, cluster_id: str) -> None:
        """Says that a cluster is expected to answer again."""
        with self._lock:
            self._inactive.discard(cluster_id)

    def all_streams(self) -> Collection[KafkaStream]:
        with self._lock:
            return tuple(self._streams.values())

    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        with self._lock:
            return {id_: self._streams[id_] for id_ in stream_ids if id_ in self._streams}

    def is_cluster_active(self, cluster_id: str) -> bool:
        with self._lock:
            return cluster_id not in self._inactive


@dataclass(frozen=True, slots=True, init=False, repr=False)
class JvmMetadataService:
    """A service that runs on the JVM: the name of its class there, and the configuration for it. Immutable.

    It is a description, so Python can't ask it. Each source opens an instance of its own and closes it.
    Configuration keys are passed on as they are; pass those with dots as `**{"some.key": "value"}`. `repr` shows no
    value. Spark prints options: keep secrets out of them by `${env:NAME}` and `${file:PATH}`, resolved on the driver.
    """

    class_name: str
    config: Mapping[str, str]

    def __init__(self, class_name: str, **config: ConfigValue) -> None:
        object.__setattr__(self, "class_name", OPTIONS.text("class_name", class_name))
        texts = {key: OPTIONS.scalar(f"metadataService.{key}", value) for key, value in config.items()}
        object.__setattr__(self, "config", MappingProxyType(texts))

    def __repr__(self) -> str:
        hidden = "".join(f", {key}=..." for key in sorted(self.config))
        return f"JvmMetadataService({self.class_name!r}{hidden})"

    def __hash__(self) -> int:
        return hash((self.class_name, frozenset(self.config.items())))

    def __reduce__(self) -> tuple[object, ...]:
        # A subclass may have another constructor.
        return _restored, (type(self), self.class_name, dict(self.config))


class YamlFileMetadataService(JvmMetadataService):
    """The streams that a YAML file lists, read anew at each fetch.

    The file is on the driver's machine, or anywhere that Hadoop reads, such as `s3a://bucket/streams.yaml`. A
    relative path begins at the current folder of this process.
    """

    __slots__ = ()

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise OPTIONS.wrong_type("path", path, "a str or a path")
        text = OPTIONS.text("path", os.fspath(path))
        super().__init__("yaml", path=text if _NOT_LOCAL.match(text) else os.path.abspath(text))

    def __repr__(self) -> str:
        return f"YamlFileMetadataService({shown_address(self.config['path'])})"


class SingleClusterMetadataService(JvmMetadataService):
    """One fixed cluster, each topic of which is a stream of the same name."""

    __slots__ = ()

    def __init__(self, cluster_id: str, properties: Mapping[str, str]) -> None:
        """The properties are Kafka's own, `bootstrap.servers` among them."""
        config = OPTIONS.text_mapping("properties", properties)
        super().__init__("single-cluster", **{**config, "clusterId": OPTIONS.text("cluster_id", cluster_id)})

    def __repr__(self) -> str:
        properties = {name: value for name, value in self.config.items() if name != "clusterId"}
        return f"SingleClusterMetadataService({self.config['clusterId']!r}, {shown_properties(properties)})"


def _restored(kind: type[JvmMetadataService], class_name: str, config: dict[str, str]) -> JvmMetadataService:
    service = object.__new__(kind)
    JvmMetadataService.__init__(service, class_name, **config)
    return service
