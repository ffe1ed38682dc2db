"""The exceptions of this package. Each has a condition, which its text shows in square brackets."""

from __future__ import annotations

from dynamic_kafka._error_chain import CONDITION, our_text
from dynamic_kafka._error_fields import joined, split
from dynamic_kafka._error_help import with_help, without_help

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
    "NoJavaError",
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


class DynamicKafkaError(Exception):
    """Base of all errors. The text gives a condition, what happened, what to do, and the command that explains it.

    `condition` is the stable name of the kind of failure, such as `DYNAMIC_KAFKA_INVALID_OPTION`. The other attributes
    say what the text names. They are the JSON at its end, so they survive wherever the text does: Spark's exceptions,
    tasks, Spark Connect. An attribute for one value is None if the text names none or several; `clusters`, `streams`,
    `topics` and `options` have all of them, up to 100.

        >>> error = find_error(failure)
        >>> error.condition, error.cluster, error.topic, error.partition
        ('DYNAMIC_KAFKA_DATA_LOSS', 'eu-1', 'orders', 3)
    """

    condition: str = "DYNAMIC_KAFKA_FAILED"

    cluster: str | None
    """The id of the cluster."""
    clusters: tuple[str, ...]
    stream: str | None
    """The id of the stream."""
    streams: tuple[str, ...]
    topic: str | None
    topics: tuple[str, ...]
    partition: int | None
    """Of `topic` on `cluster`."""
    option: str | None
    """The key of the option, such as `startingOffsets`."""
    options: tuple[str, ...]
    file: str | None
    """The path of the metadata file, or of another file that the error is about."""
    line: int | None
    """In `file`, counted from 1."""

    def __init__(self, message: str, *, option: str | None = None) -> None:
        named = CONDITION.match(message)
        if named:
            self.condition = named[1]
        else:
            message = f"[{self.condition}] {message}"
        prose, fields = split(message, option)
        super().__init__(joined(with_help(prose, self.condition), fields))
        self.cluster, self.clusters = fields.text("cluster"), fields.texts("cluster")
        self.stream, self.streams = fields.text("stream"), fields.texts("stream")
        self.topic, self.topics = fields.text("topic"), fields.texts("topic")
        self.option, self.options = fields.text("option"), fields.texts("option")
        self.partition, self.file, self.line = fields.number("partition"), fields.text("file"), fields.number("line")

    @property
    def detail(self) -> str:
        """What happened and what to do: the text without its condition, the command and the fields."""
        return CONDITION.sub("", without_help(split(str(self))[0]), count=1)


class InvalidOptionError(DynamicKafkaError, ValueError):
    """Options that are unknown, badly written, missing, or exclude each other.

    >>> builder.stream_ids()
    Traceback (most recent call last):
      ...
    dynamic_kafka.errors.InvalidOptionError: [DYNAMIC_KAFKA_INVALID_OPTION] stream_ids got no id; ...
    """

    condition = "DYNAMIC_KAFKA_INVALID_OPTION"


class OptionTypeError(InvalidOptionError, TypeError):
    """A value of the wrong type for an option's builder method.

    >>> builder.drain_timeout(10)
    Traceback (most recent call last):
      ...
    dynamic_kafka.errors.OptionTypeError: [DYNAMIC_KAFKA_INVALID_OPTION] drainTimeout is 10, ...
    """


class InvalidMetadataError(DynamicKafkaError, ValueError):
    """Metadata that is not valid, or contradicts itself."""

    condition = "DYNAMIC_KAFKA_INVALID_METADATA"


class MetadataTypeError(InvalidMetadataError, TypeError):
    """A value of the wrong type in a `KafkaStream` or `ClusterMetadata`.

    >>> ClusterMetadata("orders")
    Traceback (most recent call last):
      ...
    dynamic_kafka.errors.MetadataTypeError: [DYNAMIC_KAFKA_INVALID_METADATA] topics is of type str; ...
    """


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
    """Two cluster ids lead to the same Kafka cluster and the same topics.

    >>> two = ClusterDuplicatedError('Both list it. Fields: {"cluster": ["eu-1", "eu-2"]}')
    >>> two.cluster, two.clusters
    (None, ('eu-1', 'eu-2'))
    """

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
    """A folder that is to be read as a query's checkpoint is none, is empty or is damaged.

    >>> read_checkpoint("/no/such/folder")
    Traceback (most recent call last):
      ...
    dynamic_kafka.errors.CheckpointError: [DYNAMIC_KAFKA_CHECKPOINT] ...
    """

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


class NoJavaError(DynamicKafkaError):
    """A command finds no Java that is new enough, or none of Spark's libraries."""

    condition = "DYNAMIC_KAFKA_NO_JAVA"


_BY_CONDITION = {kind.condition: kind for kind in DynamicKafkaError.__subclasses__()}


def find_error(exception: BaseException) -> DynamicKafkaError | None:
    """Finds the error of this source behind an exception of Spark, if there is one.

    A query that fails while it runs raises Spark's `StreamingQueryException`. This function finds the reason:

        except StreamingQueryException as failure:
            if isinstance(find_error(failure), ClusterUnreachableError): ...

        >>> find_error(failure).topic
        'orders'

    A failed task of a batch read raises Py4J's `Py4JJavaError`: catch `Exception`, raise it again if this returns None.
    """
    if isinstance(exception, DynamicKafkaError):
        return exception
    found = our_text(exception)
    return None if found is None else error_of(*found)


def error_of(condition: str, text: str) -> DynamicKafkaError:
    """The error of a condition, with a text that begins with it."""
    return _BY_CONDITION.get(condition, DynamicKafkaError)(text)
