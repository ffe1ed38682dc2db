"""The exceptions of this package. Each carries the condition that stands in square brackets in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = [
    "AuthenticationFailedError",
    "ClusterChangedError",
    "ClusterDuplicatedError",
    "ClusterNotListedError",
    "ClusterUnreachableError",
    "DataLossError",
    "DynamicKafkaError",
    "InvalidMetadataError",
    "InvalidOptionError",
    "JarMissingError",
    "MetadataTypeError",
    "MetadataUnavailableError",
    "MirrorBehindError",
    "NotAuthorizedError",
    "OffsetVersionError",
    "OptionTypeError",
    "PythonServiceError",
    "StreamNotFoundError",
    "TopicNotFoundError",
    "TopicRecreatedError",
    "UnsupportedOnConnectError",
    "VersionMismatchError",
    "find_error",
]

_CONDITION = re.compile(r"\[(DYNAMIC_KAFKA_[A-Z_]+)\] ")
# What may follow our text inside a longer one: a Java stack trace, or what Spark says of the failed query.
_AFTERWARDS = re.compile(r"\n\tat |\n+JVM stacktrace:|(?: SQLSTATE: \w+)?\n+=== Streaming Query ===")


class DynamicKafkaError(Exception):
    """Every failure of the source: a condition, what happened, and what to do about it.

    `condition` is the stable name of the kind of failure, such as `DYNAMIC_KAFKA_INVALID_OPTION`.
    """

    condition: str = "DYNAMIC_KAFKA_FAILED"

    def __init__(self, message: str) -> None:
        named = _CONDITION.match(message)
        if named:
            self.condition = named[1]
        else:
            message = f"[{self.condition}] {message}"
        super().__init__(message)


class InvalidOptionError(DynamicKafkaError, ValueError):
    """Options that are unknown, badly written, missing, or exclude each other."""

    condition = "DYNAMIC_KAFKA_INVALID_OPTION"


class OptionTypeError(InvalidOptionError, TypeError):
    """A value for an option that is not of the type its builder method takes."""


class InvalidMetadataError(DynamicKafkaError, ValueError):
    """Metadata that is impossible, or contradicts itself."""

    condition = "DYNAMIC_KAFKA_INVALID_METADATA"


class MetadataTypeError(InvalidMetadataError, TypeError):
    """A part of a `KafkaStream` or `ClusterMetadata` that is not of the type it must have."""


class MetadataUnavailableError(DynamicKafkaError):
    """The metadata service raised, hung, or could not be reached."""

    condition = "DYNAMIC_KAFKA_METADATA_UNAVAILABLE"


class PythonServiceError(DynamicKafkaError):
    """A metadata service or subscriber written in Python returned something of the wrong type."""

    condition = "DYNAMIC_KAFKA_PYTHON_SERVICE"


class StreamNotFoundError(DynamicKafkaError):
    """The metadata service does not know a stream that a new query asks for."""

    condition = "DYNAMIC_KAFKA_STREAM_NOT_FOUND"


class TopicNotFoundError(DynamicKafkaError):
    """A listed topic does not exist, and the read cannot wait for it."""

    condition = "DYNAMIC_KAFKA_TOPIC_NOT_FOUND"


class TopicRecreatedError(DynamicKafkaError):
    """A topic was deleted and created again under the same name."""

    condition = "DYNAMIC_KAFKA_TOPIC_RECREATED"


class DataLossError(DynamicKafkaError):
    """Records aged out, or their topic was deleted, before they were read."""

    condition = "DYNAMIC_KAFKA_DATA_LOSS"


class ClusterUnreachableError(DynamicKafkaError):
    """A cluster did not answer in time."""

    condition = "DYNAMIC_KAFKA_CLUSTER_UNREACHABLE"


class ClusterNotListedError(DynamicKafkaError):
    """A batch that was planned before needs a cluster that is no longer listed."""

    condition = "DYNAMIC_KAFKA_CLUSTER_NOT_LISTED"


class ClusterChangedError(DynamicKafkaError):
    """Another Kafka cluster answers behind a known cluster id."""

    condition = "DYNAMIC_KAFKA_CLUSTER_CHANGED"


class ClusterDuplicatedError(DynamicKafkaError):
    """Two cluster ids lead to the same Kafka cluster and the same topics."""

    condition = "DYNAMIC_KAFKA_CLUSTER_DUPLICATED"


class MirrorBehindError(DynamicKafkaError):
    """A mirror that takes over ends below the position of the cluster that it continues."""

    condition = "DYNAMIC_KAFKA_MIRROR_BEHIND"


class AuthenticationFailedError(DynamicKafkaError):
    """A cluster refused the credentials."""

    condition = "DYNAMIC_KAFKA_AUTHENTICATION_FAILED"


class NotAuthorizedError(DynamicKafkaError):
    """A cluster accepted the credentials but refused an operation."""

    condition = "DYNAMIC_KAFKA_NOT_AUTHORIZED"


class OffsetVersionError(DynamicKafkaError):
    """The checkpoint was written by a newer version."""

    condition = "DYNAMIC_KAFKA_OFFSET_VERSION"


class UnsupportedOnConnectError(DynamicKafkaError):
    """Something that needs the driver's process was asked of a Spark Connect session."""

    condition = "DYNAMIC_KAFKA_UNSUPPORTED_ON_CONNECT"


class VersionMismatchError(DynamicKafkaError):
    """The jar that Spark runs and this Python package are of different versions."""

    condition = "DYNAMIC_KAFKA_VERSION_MISMATCH"


class JarMissingError(DynamicKafkaError):
    """This installation of the Python package holds no jar, or several."""

    condition = "DYNAMIC_KAFKA_JAR_MISSING"


_KINDS: tuple[type[DynamicKafkaError], ...] = (
    InvalidOptionError,
    InvalidMetadataError,
    MetadataUnavailableError,
    PythonServiceError,
    StreamNotFoundError,
    TopicNotFoundError,
    TopicRecreatedError,
    DataLossError,
    ClusterUnreachableError,
    ClusterNotListedError,
    ClusterChangedError,
    ClusterDuplicatedError,
    MirrorBehindError,
    AuthenticationFailedError,
    NotAuthorizedError,
    OffsetVersionError,
    UnsupportedOnConnectError,
    VersionMismatchError,
    JarMissingError,
)
_BY_CONDITION = {kind.condition: kind for kind in _KINDS}


def find_error(exception: BaseException) -> DynamicKafkaError | None:
    """The failure of this source that is behind an exception of Spark's, if there is one.

    A query that fails while it runs raises Spark's `StreamingQueryException`; this finds the reason:

        except StreamingQueryException as failure:
            if isinstance(find_error(failure), ClusterUnreachableError): ...

    So does a batch read whose tasks fail, with Py4J's `Py4JJavaError`: catch `Exception`, and raise it again where this
    finds nothing.
    """
    if isinstance(exception, DynamicKafkaError):
        return exception
    texts = [_text(link) for link in _chain(exception)]
    # The innermost link that begins with a condition carries our text alone; the others may quote it.
    exact = [text for text in texts if _CONDITION.match(text)]
    for text in [*reversed(exact), *texts]:
        named = _CONDITION.search(text)
        if named:
            message = _AFTERWARDS.split(text[named.start() :], maxsplit=1)[0]
            return _BY_CONDITION.get(named[1], DynamicKafkaError)(message)
    return None


def _chain(exception: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = exception
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        # PySpark keeps the causes of the JVM's exceptions in an attribute of its own.
        link = getattr(link, "_cause", None) or link.__cause__


def _text(exception: BaseException) -> str:
    # Of PySpark's exceptions `str` may append the JVM's stack trace; this attribute holds the message alone.
    message = getattr(exception, "_desc", None)
    return message if isinstance(message, str) else str(exception)
