"""The typed builder: collects options, checks their shape, hands them over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias

from dynamic_kafka._bridge import Subscriber
from dynamic_kafka._checks import OPTIONS
from dynamic_kafka._load import OptionValue, load
from dynamic_kafka._metadata import MetadataService
from dynamic_kafka._offsets import Offsets, offsets_text
from dynamic_kafka._options import OPTIONS as OPTIONS_OF_THE_SOURCE
from dynamic_kafka._services import InMemoryMetadataService, JvmMetadataService
from dynamic_kafka._shown import ADDRESS, shown_address
from dynamic_kafka.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Duration: TypeAlias = "str | int | float | timedelta"
"""A str with a unit, such as `10s`, `5m` or `100ms`; a number of seconds; or a timedelta."""

# The source's own options. They hold no secrets; those of Kafka's clients and of a service may.
_OWN = frozenset(option.key.lower() for option in OPTIONS_OF_THE_SOURCE)
_OURS = (InMemoryMetadataService, JvmMetadataService)


class DynamicKafkaSource:
    """Where a read begins: `DynamicKafkaSource.builder(spark)`."""

    @staticmethod
    def builder(spark: SparkSession) -> DynamicKafkaSourceBuilder:
        """A builder of reads in this session, with no option set."""
        return DynamicKafkaSourceBuilder(spark)


class DynamicKafkaSourceBuilder:
    """Collects the options of a read.

    As with Spark's own readers, each method changes the builder and returns it, and a later value for an option takes
    the place of an earlier one. `load` leaves the builder as it is, so that it may serve for several reads. Methods
    raise `OptionTypeError`, a `TypeError`, for a value of a wrong type; what a value means is checked by `load`.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._bounded = False
        # By lower-case key, since Spark's option keys know no case; with the key as it was written.
        self._options: dict[str, tuple[str, OptionValue]] = {}

    def __repr__(self) -> str:
        return f"DynamicKafkaSourceBuilder({', '.join(_shown(key, value) for key, value in self._options.values())})"

    def metadata_service(self, service: MetadataService | JvmMetadataService | str) -> DynamicKafkaSourceBuilder:
        """The service that knows where streams live: an object, a description of a JVM service, or its name."""
        if not isinstance(service, (MetadataService, JvmMetadataService, str)):
            raise OPTIONS.wrong_type("metadata_service", service, "a MetadataService, a JvmMetadataService or a str")
        return self._set("metadataService", service)

    def stream_ids(self, *stream_ids: str) -> DynamicKafkaSourceBuilder:
        """The streams to read, one id after the other."""
        if not stream_ids:
            raise InvalidOptionError("stream_ids was given no id; expected at least one.")
        for stream_id in stream_ids:
            if not isinstance(stream_id, str):
                raise OPTIONS.wrong_type(
                    "An id in stream_ids", stream_id, "a str: spread a collection by stream_ids(*ids)"
                )
        # JSON, because an id may hold a comma.
        return self._set("streamIds", json.dumps(stream_ids, ensure_ascii=False))

    def stream_pattern(self, pattern: str) -> DynamicKafkaSourceBuilder:
        """Reads the streams whose whole id matches this Java regular expression, as they come and go."""
        return self._set("streamPattern", OPTIONS.text("stream_pattern", pattern))

    def stream_subscriber(self, subscriber: Subscriber | str) -> DynamicKafkaSourceBuilder:
        """Reads the streams whose ids this function returns, asked at each fetch; a str names a class on the JVM."""
        if not callable(subscriber) and not isinstance(subscriber, str):
            raise OPTIONS.wrong_type("stream_subscriber", subscriber, "a function or the name of a class on the JVM")
        return self._set("streamSubscriber", subscriber)

    def metadata_discovery_interval(self, interval: Duration) -> DynamicKafkaSourceBuilder:
        """How often the service is asked; -1: only at the start. Default 30 s."""
        if interval == -1:
            return self._set("metadataDiscoveryInterval", "-1")
        return self._duration("metadataDiscoveryInterval", interval)

    def metadata_discovery_failure_threshold(self, failures: int) -> DynamicKafkaSourceBuilder:
        """How many consecutive failed fetches are tolerated; -1, the default: any number."""
        return self._count("metadataDiscoveryFailureThreshold", failures)

    def metadata_request_timeout(self, timeout: Duration) -> DynamicKafkaSourceBuilder:
        """A fetch that takes longer is a failed one. Default 30 s."""
        return self._duration("metadataRequestTimeout", timeout)

    def starting_offsets(self, offsets: Offsets) -> DynamicKafkaSourceBuilder:
        """Where a new query begins on the clusters of its first topology. Default `latest`, for a batch `earliest`."""
        return self._offsets("startingOffsets", offsets)

    def ending_offsets(self, offsets: Offsets) -> DynamicKafkaSourceBuilder:
        """Where a batch read ends, exclusive. Default `latest`. Refused for a streaming read."""
        return self._offsets("endingOffsets", offsets)

    def new_cluster_offsets(self, offsets: Offsets) -> DynamicKafkaSourceBuilder:
        """Where a cluster begins that is listed later than the query began. Default `earliest`."""
        return self._offsets("newClusterOffsets", offsets)

    def removed_cluster_policy(self, policy: Literal["drain", "stop"]) -> DynamicKafkaSourceBuilder:
        """Whether a cluster or topic that is no longer listed is read to the end it had then, or not any more."""
        return self._text("removedClusterPolicy", policy)

    def drain_timeout(self, timeout: Duration) -> DynamicKafkaSourceBuilder:
        """How long to try a removed cluster that does not answer. Default 1 h."""
        return self._duration("drainTimeout", timeout)

    def removed_cluster_retention(self, retention: Duration) -> DynamicKafkaSourceBuilder:
        """How long the positions of what was removed are kept, in case it returns. Default 30 days."""
        return self._duration("removedClusterRetention", retention)

    def unavailable_cluster_policy(self, policy: Literal["fail", "skip"]) -> DynamicKafkaSourceBuilder:
        """Whether a listed cluster that can't be read fails the query, or is left out meanwhile. Default `fail`."""
        return self._text("unavailableClusterPolicy", policy)

    def left_over_policy(self, policy: Literal["wait", "defer"]) -> DynamicKafkaSourceBuilder:
        """Whether a left-over batch waits for what can't be read now, or leaves it for later. Default `wait`."""
        return self._text("leftOverPolicy", policy)

    def cluster_request_timeout(self, timeout: Duration) -> DynamicKafkaSourceBuilder:
        """The limit of each call to one cluster from the driver. Default 30 s."""
        return self._duration("clusterRequestTimeout", timeout)

    def cluster_read_timeout(self, timeout: Duration) -> DynamicKafkaSourceBuilder:
        """How long a planned range is tried before the query fails. Default 2 min."""
        return self._duration("clusterReadTimeout", timeout)

    def abandon_clusters(self, tokens: Mapping[str, str] | str) -> DynamicKafkaSourceBuilder:
        """Gives up ranges of a batch that can't be read again: the error's token by cluster id, or as JSON."""
        if isinstance(tokens, str):
            return self._set("abandonClusters", tokens)
        texts = OPTIONS.text_mapping("abandon_clusters", tokens)
        return self._set("abandonClusters", json.dumps(dict(texts), sort_keys=True, ensure_ascii=False))

    def broker_poll_interval(self, interval: Duration) -> DynamicKafkaSourceBuilder:
        """The least time between two asks of one cluster while nothing new was found. Default 100 ms."""
        return self._duration("brokerPollInterval", interval)

    def fail_on_data_loss(self, fail: bool) -> DynamicKafkaSourceBuilder:
        """Whether records that are gone fail the query, or are counted, with a warning. Default True."""
        return self._flag("failOnDataLoss", fail)

    def max_offsets_per_trigger(self, offsets: int) -> DynamicKafkaSourceBuilder:
        """The most offsets that one batch holds, over all clusters."""
        return self._count("maxOffsetsPerTrigger", offsets)

    def min_offsets_per_trigger(self, offsets: int) -> DynamicKafkaSourceBuilder:
        """A batch waits for this many new offsets, over all clusters, and at most for `max_trigger_delay`."""
        return self._count("minOffsetsPerTrigger", offsets)

    def max_trigger_delay(self, delay: Duration) -> DynamicKafkaSourceBuilder:
        """How long a batch waits for `min_offsets_per_trigger`. Default 15 min."""
        return self._duration("maxTriggerDelay", delay)

    def max_bytes_per_trigger(self, size: int) -> DynamicKafkaSourceBuilder:
        """About how many bytes of records one batch holds, over all clusters."""
        return self._count("maxBytesPerTrigger", size)

    def max_timestamp_skew(self, skew: Duration) -> DynamicKafkaSourceBuilder:
        """How far, by the records' timestamps, one partition may be read ahead of the slowest."""
        return self._duration("maxTimestampSkew", skew)

    def max_skew_wait(self, wait: Duration) -> DynamicKafkaSourceBuilder:
        """How long an unavailable cluster holds the others back under `max_timestamp_skew`. Default 10 min."""
        return self._duration("maxSkewWait", wait)

    def min_partitions(self, partitions: int) -> DynamicKafkaSourceBuilder:
        """The least number of tasks to cut a batch into, over all clusters."""
        return self._count("minPartitions", partitions)

    def max_records_per_partition(self, records: int) -> DynamicKafkaSourceBuilder:
        """The most offsets that one task reads."""
        return self._count("maxRecordsPerPartition", records)

    def max_fetch_bytes_per_task(self, size: int) -> DynamicKafkaSourceBuilder:
        """The most bytes that a task's consumers hold of what they fetched, over all clusters. Default 256 MiB."""
        return self._count("maxFetchBytesPerTask", size)

    def consumer_idle_timeout(self, timeout: Duration) -> DynamicKafkaSourceBuilder:
        """After this time without a task an executor closes a consumer. Default 60 s."""
        return self._duration("consumerIdleTimeout", timeout)

    def group_id_prefix(self, prefix: str) -> DynamicKafkaSourceBuilder:
        """What the generated group ids begin with. Default `spark-dynamic-kafka`."""
        return self._text("groupIdPrefix", prefix)

    def commit_offsets(self, commit: bool) -> DynamicKafkaSourceBuilder:
        """Whether the positions of finished batches are published to each cluster, for lag tools. Default False."""
        return self._flag("commitOffsets", commit)

    def kafka_property(self, name: str, value: str | bool | int | float) -> DynamicKafkaSourceBuilder:
        """A property of Kafka's clients, for every cluster; a cluster's own properties beat it."""
        return self._set(f"kafka.{OPTIONS.text('The name', name)}", OPTIONS.scalar(f"kafka.{name}", value))

    def option(self, key: str, value: str | bool | int | float) -> DynamicKafkaSourceBuilder:
        """Any option by its name."""
        return self._set(OPTIONS.text("The key", key), OPTIONS.scalar(key, value))

    def options(self, **options: str | bool | int | float) -> DynamicKafkaSourceBuilder:
        """Any options by their names."""
        for key, value in options.items():
            self.option(key, value)
        return self

    def bounded(self, ending_offsets: Offsets | None = None) -> DynamicKafkaSourceBuilder:
        """Makes it a batch read, which ends at these offsets, exclusive: without any, at `latest`."""
        self._bounded = True
        return self if ending_offsets is None else self.ending_offsets(ending_offsets)

    def load(self) -> DataFrame:
        """The rows as a DataFrame: streaming, or a batch if `bounded`.

        Raises `InvalidOptionError` for whatever is wrong with the options, all problems in one text; another
        `DynamicKafkaError` for what is wrong with the session.
        """
        # Spark does not tell the source at load() which kind of read it will be.
        if "endingoffsets" in self._options and not self._bounded:
            raise InvalidOptionError(
                "The option `endingOffsets` is for a batch read, and a streaming read has "
                "no end. Call bounded(), or give a cluster ending offsets of its own in the metadata."
            )
        return load(self._spark, dict(self._options.values()), batch=self._bounded)

    def _set(self, key: str, value: OptionValue) -> DynamicKafkaSourceBuilder:
        self._options[key.lower()] = (key, value)
        return self

    def _text(self, key: str, value: str) -> DynamicKafkaSourceBuilder:
        return self._set(key, OPTIONS.text(key, value))

    def _flag(self, key: str, value: bool) -> DynamicKafkaSourceBuilder:
        return self._set(key, OPTIONS.flag(key, value))

    def _count(self, key: str, value: int) -> DynamicKafkaSourceBuilder:
        return self._set(key, OPTIONS.count(key, value))

    def _duration(self, key: str, value: Duration) -> DynamicKafkaSourceBuilder:
        return self._set(key, OPTIONS.duration(key, value))

    def _offsets(self, key: str, value: Offsets) -> DynamicKafkaSourceBuilder:
        return self._set(key, offsets_text(OPTIONS, key, value))


def _shown(key: str, value: OptionValue) -> str:
    if isinstance(value, str):
        text = repr(value) if key.lower() in _OWN else "..."
        return f"{key}={shown_address(value) if key.lower() == f'kafka.{ADDRESS}' else text}"
    # What the user's own classes show of themselves may be secrets.
    return f"{key}={value!r}" if isinstance(value, _OURS) else f"{key}=<{type(value).__name__}>"
