"""The typed builder. It collects options, checks their types, and passes them to Spark."""

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

Duration: TypeAlias = "str | timedelta"
"""A str with a unit, such as `10s`, `5m` or `100ms`, or a timedelta. A bare number is refused."""

# The source's own options. They contain no secrets. Options of Kafka's clients or of a service may.
_OWN = frozenset(option.key.lower() for option in OPTIONS_OF_THE_SOURCE)
_OURS = (InMemoryMetadataService, JvmMetadataService)


class DynamicKafkaSource:
    """The entry point: `DynamicKafkaSource.builder(spark)`."""

    @staticmethod
    def builder(spark: SparkSession) -> DynamicKafkaSourceBuilder:
        """A builder of reads in this session, with no option set."""
        return DynamicKafkaSourceBuilder(spark)


class DynamicKafkaSourceBuilder:
    """Collects the options of a read.

    As in Spark's own readers, each method changes the builder and returns it. If an option is set twice, the later
    value counts. `load` does not change the builder, so one builder can be used for several reads. Methods raise
    `OptionTypeError`, a `TypeError`, for a value of the wrong type. `load` checks the values themselves.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._bounded = False
        # By lower-case key, because Spark ignores case in keys. Each with the key as it was written.
        self._options: dict[str, tuple[str, OptionValue]] = {}

    def __repr__(self) -> str:
        return f"DynamicKafkaSourceBuilder({', '.join(_shown(key, value) for key, value in self._options.values())})"

    def metadata_service(self, service: MetadataService | JvmMetadataService | str) -> DynamicKafkaSourceBuilder:
        """The metadata service: an object, a `JvmMetadataService`, or the name of a service on the JVM."""
        if not isinstance(service, (MetadataService, JvmMetadataService, str)):
            raise OPTIONS.wrong_type("metadata_service", service, "a MetadataService, a JvmMetadataService or a str")
        return self._set("metadataService", service)

    def stream_ids(self, *stream_ids: str) -> DynamicKafkaSourceBuilder:
        """The ids of the streams to read."""
        if not stream_ids:
            raise InvalidOptionError("stream_ids got no id; expected at least one.")
        for stream_id in stream_ids:
            if not isinstance(stream_id, str):
                raise OPTIONS.wrong_type(
                    "An id in stream_ids", stream_id, "a str: pass a collection as stream_ids(*ids)"
                )
        # JSON, because an id may contain a comma.
        return self._set("streamIds", json.dumps(stream_ids, ensure_ascii=False))

    def stream_pattern(self, pattern: str) -> DynamicKafkaSourceBuilder:
        """Reads all streams whose whole id matches this Java regular expression, later ones too."""
        return self._set("streamPattern", OPTIONS.text("stream_pattern", pattern))

    def stream_subscriber(self, subscriber: Subscriber | str) -> DynamicKafkaSourceBuilder:
        """Reads the streams whose ids this function returns at each fetch. A str names a class on the JVM instead."""
        if not callable(subscriber) and not isinstance(subscriber, str):
            raise OPTIONS.wrong_type("stream_subscriber", subscriber, "a function or the name of a class on the JVM")
        return self._set("streamSubscriber", subscriber)

    def metadata_discovery_interval(self, interval: Duration | Literal[-1]) -> DynamicKafkaSourceBuilder:
        """How often the service is asked. -1: only at the start. Default 30 s."""
        if interval == -1:
            return self._set("metadataDiscoveryInterval", "-1")
        return self._duration("metadataDiscoveryInterval", interval)

    def metadata_discovery_failure_threshold(self, failures: int) -> DynamicKafkaSourceBuilder:
        """How many consecutive failed fetches are tolerated. Default -1: any number."""
        return self._count("metadataDiscoveryFailureThreshold", failures)

    def metadata_request_timeout(self, timeout: Duration) -> DynamicKafkaSourceBuilder:
        """A fetch that takes longer counts as failed. Default 30 s."""
        return self._duration("metadataRequestTimeout", timeout)

    def starting_offsets(self, offsets: Offsets) -> DynamicKafkaSourceBuilder:
        """Where a new query starts on the clusters of its first topology. Default `latest`, for a batch `earliest`."""
        return self._offsets("startingOffsets", offsets)

    def ending_offsets(self, offsets: Offsets) -> DynamicKafkaSourceBuilder:
        """Where a batch read ends (exclusive). Default `latest`. Refused for a streaming read."""
        return self._offsets("endingOffsets", offsets)

    def new_cluster_offsets(self, offsets: Offsets) -> DynamicKafkaSourceBuilder:
        """Where a cluster starts that is first listed after the query began. Default `earliest`."""
        return self._offsets("newClusterOffsets", offsets)

    def removed_cluster_policy(self, policy: Literal["drain", "stop"]) -> DynamicKafkaSourceBuilder:
        """Whether a removed cluster or topic is read up to its end at the removal, or not at all. Default `drain`."""
        return self._text("removedClusterPolicy", policy)

    def drain_timeout(self, timeout: Duration) -> DynamicKafkaSourceBuilder:
        """How long tries to reach a draining cluster may fail. Default 1 h."""
        return self._duration("drainTimeout", timeout)

    def removed_cluster_retention(self, retention: Duration) -> DynamicKafkaSourceBuilder:
        """How long the positions of a removed cluster or topic are kept. Default 30 days."""
        return self._duration("removedClusterRetention", retention)

    def unavailable_cluster_policy(self, policy: Literal["fail", "skip"]) -> DynamicKafkaSourceBuilder:
        """Whether a listed cluster that can't be reached fails the query, or is skipped meanwhile. Default `fail`."""
        return self._text("unavailableClusterPolicy", policy)

    def left_over_policy(self, policy: Literal["wait", "defer"]) -> DynamicKafkaSourceBuilder:
        """Whether a left-over batch waits for what can't be read now, or gives it back for later. Default `wait`."""
        return self._text("leftOverPolicy", policy)

    def cluster_request_timeout(self, timeout: Duration) -> DynamicKafkaSourceBuilder:
        """The time limit of each call from the driver to one cluster. Default 30 s."""
        return self._duration("clusterRequestTimeout", timeout)

    def cluster_read_timeout(self, timeout: Duration) -> DynamicKafkaSourceBuilder:
        """How long the source tries to read a planned range before the query fails. Default 2 min."""
        return self._duration("clusterReadTimeout", timeout)

    def abandon_clusters(self, tokens: Mapping[str, str] | str) -> DynamicKafkaSourceBuilder:
        """Gives up ranges of a batch that can't be read again. Takes the error's tokens by cluster id, or its JSON."""
        if isinstance(tokens, str):
            return self._set("abandonClusters", tokens)
        texts = OPTIONS.text_mapping("abandon_clusters", tokens)
        return self._set("abandonClusters", json.dumps(dict(texts), sort_keys=True, ensure_ascii=False))

    def broker_poll_interval(self, interval: Duration) -> DynamicKafkaSourceBuilder:
        """The least time between two requests to one cluster while nothing new is found. Default 100 ms."""
        return self._duration("brokerPollInterval", interval)

    def fail_on_data_loss(self, fail: bool) -> DynamicKafkaSourceBuilder:
        """Whether lost records fail the query, or are only counted, with a warning. Default True."""
        return self._flag("failOnDataLoss", fail)

    def max_offsets_per_trigger(self, offsets: int) -> DynamicKafkaSourceBuilder:
        """The most offsets that one batch reads, over all clusters."""
        return self._count("maxOffsetsPerTrigger", offsets)

    def min_offsets_per_trigger(self, offsets: int) -> DynamicKafkaSourceBuilder:
        """A batch waits for this many new offsets, over all clusters, but no longer than `max_trigger_delay`."""
        return self._count("minOffsetsPerTrigger", offsets)

    def max_trigger_delay(self, delay: Duration) -> DynamicKafkaSourceBuilder:
        """How long a batch waits for `min_offsets_per_trigger`. Default 15 min."""
        return self._duration("maxTriggerDelay", delay)

    def max_bytes_per_trigger(self, size: int) -> DynamicKafkaSourceBuilder:
        """About how many bytes of records one batch reads, over all clusters."""
        return self._count("maxBytesPerTrigger", size)

    def max_timestamp_skew(self, skew: Duration) -> DynamicKafkaSourceBuilder:
        """How far, by the records' timestamps, a partition may run ahead of the slowest one with a backlog."""
        return self._duration("maxTimestampSkew", skew)

    def max_skew_wait(self, wait: Duration) -> DynamicKafkaSourceBuilder:
        """How long an unavailable cluster holds the others back under `max_timestamp_skew`. Default 10 min."""
        return self._duration("maxSkewWait", wait)

    def min_partitions(self, partitions: int) -> DynamicKafkaSourceBuilder:
        """The least number of tasks of a batch, over all clusters."""
        return self._count("minPartitions", partitions)

    def max_records_per_partition(self, records: int) -> DynamicKafkaSourceBuilder:
        """The most offsets that one task reads."""
        return self._count("maxRecordsPerPartition", records)

    def max_fetch_bytes_per_task(self, size: int) -> DynamicKafkaSourceBuilder:
        """The most fetched bytes that a task's consumers hold, over all clusters. Default 256 MiB."""
        return self._count("maxFetchBytesPerTask", size)

    def consumer_idle_timeout(self, timeout: Duration) -> DynamicKafkaSourceBuilder:
        """An executor closes a consumer that no task used for this long. Default 60 s."""
        return self._duration("consumerIdleTimeout", timeout)

    def group_id_prefix(self, prefix: str) -> DynamicKafkaSourceBuilder:
        """How generated group ids begin. Default `spark-dynamic-kafka`."""
        return self._text("groupIdPrefix", prefix)

    def commit_offsets(self, commit: bool) -> DynamicKafkaSourceBuilder:
        """Whether the positions of finished batches are published to each cluster, for lag tools. Default False."""
        return self._flag("commitOffsets", commit)

    def kafka_property(self, name: str, value: str | bool | int | float) -> DynamicKafkaSourceBuilder:
        """A property of Kafka's clients, for every cluster. A cluster's own properties win."""
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
        """Makes it a batch read. It ends at these offsets (exclusive), by default at `latest`."""
        self._bounded = True
        return self if ending_offsets is None else self.ending_offsets(ending_offsets)

    def load(self) -> DataFrame:
        """The rows as a DataFrame: a streaming read, or a batch read after `bounded`.

        Raises `InvalidOptionError` with all problems of the options, and other kinds of `DynamicKafkaError` for
        problems of the session.
        """
        # Spark does not tell the source at load() which kind of read it will be.
        if "endingoffsets" in self._options and not self._bounded:
            raise InvalidOptionError(
                "The option `endingOffsets` is for a batch read, and a streaming read has "
                "no end. Call bounded(), or give a cluster its own ending offsets in the metadata."
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
    # The `repr` of a user's own class may show secrets.
    return f"{key}={value!r}" if isinstance(value, _OURS) else f"{key}=<{type(value).__name__}>"
