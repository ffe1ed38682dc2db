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
from dynamic_kafka._redaction import shown_address, shown_properties

ConfigValue: TypeAlias = "str | bool | int | float"
"""A value of a service's configuration."""

# A path of Hadoop, such as `s3a://bucket/streams.yaml`, or one that begins with a placeholder. One letter is a drive.
_NOT_LOCAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/|\$\{")


class InMemoryMetadataService(MetadataService):
    """Streams that the program itself adds and removes while queries run, for tests and notebooks.

    Any thread may change them. Every cluster is active until it is deactivated.

        >>> service = InMemoryMetadataService([KafkaStream("orders", {})])
        >>> service.put(KafkaStream("refunds", {}))
        >>> service.remove("orders")
        >>> service.all_streams()
        (KafkaStream(stream_id='refunds', clusters=mappingproxy({})),)
    """

    def __init__(self, streams: Iterable[KafkaStream] = ()) -> None:
        """If two streams have the same id, the later one counts."""
        self._lock = threading.Lock()
        self._streams: dict[str, KafkaStream] = {}
        self._inactive: set[str] = set()
        for stream in streams:
            self.put(stream)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(InMemoryMetadataService.all_streams(self))!r})"

    def put(self, stream: KafkaStream) -> None:
        """Adds a stream, or replaces the one with the same id."""
        if not isinstance(stream, KafkaStream):
            raise METADATA.wrong_type("The stream", stream, "a KafkaStream")
        with self._lock:
            self._streams[stream.stream_id] = stream

    def remove(self, stream_id: str) -> None:
        """Removes a stream. An unknown id changes nothing."""
        with self._lock:
            self._streams.pop(stream_id, None)

    def deactivate(self, cluster_id: str) -> None:
        """Marks a cluster as inactive: it is not expected to answer."""
        with self._lock:
            self._inactive.add(cluster_id)

    def activate(self, cluster_id: str) -> None:
        """Marks a cluster as active again."""
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
    """A service that runs on the JVM: the name of its class, and its configuration. Immutable.

    It is only a description; Python can't call it. Each source opens its own instance and closes it. Configuration keys
    are passed on as they are; pass a key with dots as `**{"some.key": "value"}`. `repr` shows no value. Spark prints
    options, so replace secrets by `${env:NAME}` or `${file:PATH}`, which the driver resolves.

        >>> JvmMetadataService("org.acme.Registry", url="https://registry", token="${env:TOKEN}")
        JvmMetadataService('org.acme.Registry', token=..., url=...)
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
    """The streams that a YAML file lists. Each fetch reads the file again.

    The file is on the driver's machine, or in any Hadoop file system, such as `s3a://bucket/streams.yaml`. A relative
    path begins at the current folder of this process.

        >>> YamlFileMetadataService("s3a://bucket/streams.yaml")
        YamlFileMetadataService('s3a://bucket/streams.yaml')
    """

    __slots__ = ()

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__("yaml", path=_path("path", path))

    def __repr__(self) -> str:
        return f"YamlFileMetadataService({shown_address(self.config['path'])})"


class HttpMetadataService(JvmMetadataService):
    """The streams that a web server lists by the protocol of docs/metadata-http.md. The server gets the query's status.

    The files are on the driver's machine, and read again when they are needed: `token_file` holds the bearer token,
    `ca_file` the certificates to trust, in PEM. A relative path begins at the current folder of this process.

        >>> HttpMetadataService("https://registry/streams?team=a", token_file="/run/secrets/token")
        HttpMetadataService('https://registry/streams')
    """

    __slots__ = ()

    def __init__(
        self,
        url: str,
        *,
        token_file: str | os.PathLike[str] | None = None,
        ca_file: str | os.PathLike[str] | None = None,
    ) -> None:
        config = {"url": OPTIONS.text("url", url)}
        if token_file is not None:
            config["tokenFile"] = _path("token_file", token_file)
        if ca_file is not None:
            config["caFile"] = _path("ca_file", ca_file)
        super().__init__("http", **config)

    def __repr__(self) -> str:
        # After the ? there may be a secret.
        return f"HttpMetadataService({shown_address(self.config['url'].partition('?')[0])})"


class SingleClusterMetadataService(JvmMetadataService):
    """One fixed cluster. Each of its topics is a stream with the same name.

    The address is `bootstrap_servers` or the property `bootstrap.servers`, one of them.

        >>> SingleClusterMetadataService("eu-1", bootstrap_servers="b1:9092,b2:9092")
        SingleClusterMetadataService('eu-1', {'bootstrap.servers': 'b1:9092,b2:9092'})
    """

    __slots__ = ()

    def __init__(
        self, cluster_id: str, properties: Mapping[str, str] | None = None, *, bootstrap_servers: str | None = None
    ) -> None:
        """The properties are those of Kafka's clients."""
        config = OPTIONS.addressed(properties, bootstrap_servers)
        super().__init__("single-cluster", **{**config, "clusterId": OPTIONS.text("cluster_id", cluster_id)})

    def __repr__(self) -> str:
        properties = {name: value for name, value in self.config.items() if name != "clusterId"}
        return f"SingleClusterMetadataService({self.config['clusterId']!r}, {shown_properties(properties)})"


def _path(name: str, path: object) -> str:
    """The text of a path. One on this machine becomes absolute."""
    if not isinstance(path, (str, os.PathLike)):
        raise OPTIONS.wrong_type(name, path, "a str or a path")
    text = OPTIONS.text(name, os.fspath(path))
    return text if _NOT_LOCAL.match(text) else os.path.abspath(text)


def _restored(kind: type[JvmMetadataService], class_name: str, config: dict[str, str]) -> JvmMetadataService:
    service = object.__new__(kind)
    JvmMetadataService.__init__(service, class_name, **config)
    return service
