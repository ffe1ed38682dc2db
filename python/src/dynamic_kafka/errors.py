"""The exceptions of this package. Each has a condition, which its text shows in square brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = [
    "AuthenticationFailedError",
    "CheckpointError",
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
# What may follow our text inside a longer one: a Java stack trace, or Spark's text about the failed query.
_AFTERWARDS = re.compile(r"\n\tat |\n+JVM stacktrace:|(?: SQLSTATE: \w+)?\n+=== Streaming Query ===")


class DynamicKafkaError(Exception):
    """Base of all errors of the source. The text gives a condition, what happened, and what to do about it.

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

    @property
    def detail(self) -> str:
        """The text without its condition."""
        return _CONDITION.sub("", str(self), count=1)


class InvalidOptionError(DynamicKafkaError, ValueError):
    """Options that are unknown, badly written, missing, or exclude each other."""

    condition = "DYNAMIC_KAFKA_INVALID_OPTION"


class OptionTypeError(InvalidOptionError, TypeError):
    """A value of the wrong type for an option's builder method."""


class InvalidMetadataError(DynamicKafkaError, ValueError):
    """Metadata that is not valid, or contradicts itself."""

    condition = "DYNAMIC_KAFKA_INVALID_METADATA"


class MetadataTypeError(InvalidMetadataError, TypeError):
    """A value of the wrong type in a `KafkaStream` or `ClusterMetadata`."""


class MetadataUnavailableError(DynamicKafkaError):
    """The metadata service raised, hung, or could not be reached."""

    condition = "DYNAMIC_KAFKA_METADATA_UNAVAILABLE"


class PythonServiceError(DynamicKafkaError):
    """A metadata service or subscriber written in Python returned something of the wrong type."""

    condition = "DYNAMIC_KAFKA_PYTHON_SERVICE"


class StreamNotFoundError(DynamicKafkaError):
    """The metadata service does not know a stream that a new query names."""

    condition = "DYNAMIC_KAFKA_STREAM_NOT_FOUND"


class TopicNotFoundError(DynamicKafkaError):
    """A listed topic does not exist, and the read cannot wait for it."""

    condition = "DYNAMIC_KAFKA_TOPIC_NOT_FOUND"


class TopicRecreatedError(DynamicKafkaError):
    """A topic was deleted and re-created under the same name."""

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


class CheckpointError(DynamicKafkaError):
    """A folder that is to be read as a query's checkpoint is none, is empty or is damaged."""

    condition = "DYNAMIC_KAFKA_CHECKPOINT"


class UnsupportedOnConnectError(DynamicKafkaError):
    """A Spark Connect session can't do this, because it needs the driver's process."""

    condition = "DYNAMIC_KAFKA_UNSUPPORTED_ON_CONNECT"


class VersionMismatchError(DynamicKafkaError):
    """The jar in Spark and this Python package have different versions."""

    condition = "DYNAMIC_KAFKA_VERSION_MISMATCH"


class JarMissingError(DynamicKafkaError):
    """This installation of the Python package has no jar, or several."""

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
    CheckpointError,
    UnsupportedOnConnectError,
    VersionMismatchError,
    JarMissingError,
)
_BY_CONDITION = {kind.condition: kind for kind in _KINDS}


def find_error(exception: BaseException) -> DynamicKafkaError | None:
    """Finds the error of this source behind an exception of Spark, if there is one.

    A query that fails while it runs raises Spark's `StreamingQueryException`. This function finds the reason:

        except StreamingQueryException as failure:
            if isinstance(find_error(failure), ClusterUnreachableError): ...

    A batch read whose tasks fail raises Py4J's `Py4JJavaError`: catch `Exception`, and raise it again if this function
    returns None.
    """
    if isinstance(exception, DynamicKafkaError):
        return exception
    texts = [_text(link) for link in _chain(exception)]
    # The innermost exception that begins with a condition has only our text. The others may quote it.
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
        # PySpark keeps the cause of a JVM exception in its own attribute.
        link = getattr(link, "_cause", None) or link.__cause__


def _text(exception: BaseException) -> str:
    # For PySpark's exceptions `str` may append the JVM's stack trace. This attribute has only the message.
    message = getattr(exception, "_desc", None)
    return message if isinstance(message, str) else str(exception)
