"""The builder's methods for the options that have a fixed name: one for each."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias

from dynamic_kafka._bridge import Subscriber
from dynamic_kafka._checks import OPTIONS
from dynamic_kafka._load import OptionValue
from dynamic_kafka._metadata import MetadataService
from dynamic_kafka._offsets import Offsets, offsets_text
from dynamic_kafka._services import JvmMetadataService
from dynamic_kafka.errors import InvalidOptionError

if TYPE_CHECKING:
    # Type checkers know this module, and nothing needs it at run time.
    from typing_extensions import Self

Duration: TypeAlias = "str | timedelta"
"""A str with a unit, such as `10s`, `5m` or `100ms`, or a timedelta. A bare number is refused."""


class OptionMethods:
    """Collects options. Each method checks the type of its value, sets its option, and returns the builder."""

    def __init__(self) -> None:
        # By lower-case key, because Spark ignores case in keys. Each with the key as it was written.
        self._options: dict[str, tuple[str, OptionValue]] = {}

    def metadata_service(self, service: MetadataService | JvmMetadataService | str) -> Self:
        """The metadata service: an object, a `JvmMetadataService`, or the name of a service on the JVM.

        >>> builder.metadata_service(YamlFileMetadataService("/etc/streams.yaml"))
        DynamicKafkaSourceBuilder(metadataService=YamlFileMetadataService('/etc/streams.yaml'))
        """
        if not isinstance(service, (MetadataService, JvmMetadataService, str)):
            raise OPTIONS.wrong_type("metadata_service", service, "a MetadataService, a JvmMetadataService or a str")
        return self._set("metadataService", service)

    def stream_ids(self, *stream_ids: str) -> Self:
        """The ids of the streams to read.

        >>> builder.stream_ids("orders", "refunds")
        DynamicKafkaSourceBuilder(streamIds='["orders", "refunds"]')
        """
        if not stream_ids:
            raise InvalidOptionError("stream_ids got no id; expected at least one.", option="streamIds")
        for stream_id in stream_ids:
            if not isinstance(stream_id, str):
                raise OPTIONS.wrong_type(
                    "An id in stream_ids", stream_id, "a str: pass a collection as stream_ids(*ids)"
                )
        # JSON, because an id may contain a comma.
        return self._set("streamIds", json.dumps(stream_ids, ensure_ascii=False))

    def stream_pattern(self, pattern: str) -> Self:
        """Reads all streams whose whole id matches this Java regular expression, later ones too.

        >>> builder.stream_pattern(r"orders-.*")
        DynamicKafkaSourceBuilder(streamPattern='orders-.*')
        """
        return self._set("streamPattern", OPTIONS.text("stream_pattern", pattern))

    def stream_subscriber(self, subscriber: Subscriber | str) -> Self:
        """Reads the streams whose ids this function returns at each fetch. A str names a class on the JVM instead.

        >>> builder.stream_subscriber(lambda service: {s.stream_id for s in service.all_streams()})
        DynamicKafkaSourceBuilder(streamSubscriber=<function>)
        """
        if not callable(subscriber) and not isinstance(subscriber, str):
            raise OPTIONS.wrong_type("stream_subscriber", subscriber, "a function or the name of a class on the JVM")
        return self._set("streamSubscriber", subscriber)

    def metadata_discovery_interval(self, interval: Duration | Literal[-1]) -> Self:
        """How often the service is asked. -1: only at the start. Default 30 s.

        >>> builder.metadata_discovery_interval("10s")
        DynamicKafkaSourceBuilder(metadataDiscoveryInterval='10s')
        """
        if interval == -1:
            return self._set("metadataDiscoveryInterval", "-1")
        return self._duration("metadataDiscoveryInterval", interval)

    def metadata_discovery_failure_threshold(self, failures: int) -> Self:
        """How many consecutive failed fetches are tolerated. Default -1: any number.

        >>> builder.metadata_discovery_failure_threshold(3)
        DynamicKafkaSourceBuilder(metadataDiscoveryFailureThreshold='3')
        """
        return self._count("metadataDiscoveryFailureThreshold", failures)

    def metadata_request_timeout(self, timeout: Duration) -> Self:
        """A fetch that takes longer counts as failed. Default 30 s.

        >>> builder.metadata_request_timeout("5s")
        DynamicKafkaSourceBuilder(metadataRequestTimeout='5s')
        """
        return self._duration("metadataRequestTimeout", timeout)

    def starting_offsets(self, offsets: Offsets) -> Self:
        """Where a new query starts on the clusters of its first topology. Default `latest`, for a batch `earliest`.

        >>> builder.starting_offsets({"eu-1": {"orders": {0: 1200, 1: "latest"}}})
        DynamicKafkaSourceBuilder(startingOffsets='{"eu-1":{"orders":{"0":1200,"1":"latest"}}}')
        """
        return self._offsets("startingOffsets", offsets)

    def ending_offsets(self, offsets: Offsets) -> Self:
        """Where a batch read ends (exclusive). Default `latest`. Refused for a streaming read.

        >>> builder.ending_offsets({"timestamp": 1767225600000})
        DynamicKafkaSourceBuilder(endingOffsets='{"timestamp":1767225600000}')
        """
        return self._offsets("endingOffsets", offsets)

    def new_cluster_offsets(self, offsets: Offsets) -> Self:
        """Where a cluster starts that is first listed after the query began. Default `earliest`.

        >>> builder.new_cluster_offsets("latest")
        DynamicKafkaSourceBuilder(newClusterOffsets='latest')
        """
        return self._offsets("newClusterOffsets", offsets)

    def removed_cluster_policy(self, policy: Literal["drain", "stop"]) -> Self:
        """Whether a removed cluster or topic is read up to its end at the removal, or not at all. Default `drain`.

        >>> builder.removed_cluster_policy("stop")
        DynamicKafkaSourceBuilder(removedClusterPolicy='stop')
        """
        return self._text("removedClusterPolicy", policy)

    def drain_timeout(self, timeout: Duration) -> Self:
        """How long tries to read a draining partition may fail. Default 1 h.

        >>> builder.drain_timeout(timedelta(minutes=5))
        DynamicKafkaSourceBuilder(drainTimeout='300s')
        """
        return self._duration("drainTimeout", timeout)

    def removed_cluster_retention(self, retention: Duration) -> Self:
        """How long the positions of a removed cluster or topic are kept. Default 30 days.

        >>> builder.removed_cluster_retention("7d")
        DynamicKafkaSourceBuilder(removedClusterRetention='7d')
        """
        return self._duration("removedClusterRetention", retention)

    def unavailable_cluster_policy(self, policy: Literal["fail", "skip"]) -> Self:
        """Whether a listed cluster that can't be reached fails the query, or is skipped meanwhile. Default `fail`.

        >>> builder.unavailable_cluster_policy("skip")
        DynamicKafkaSourceBuilder(unavailableClusterPolicy='skip')
        """
        return self._text("unavailableClusterPolicy", policy)

    def unreadable_range_policy(self, policy: Literal["wait", "defer"]) -> Self:
        """Whether a left-over batch waits for what can't be read now, or gives it back for later. Default `wait`.

        >>> builder.unreadable_range_policy("defer")
        DynamicKafkaSourceBuilder(unreadableRangePolicy='defer')
        """
        return self._text("unreadableRangePolicy", policy)

    def cluster_request_timeout(self, timeout: Duration) -> Self:
        """The time limit of each call from the driver to one cluster. Default 30 s.

        >>> builder.cluster_request_timeout("10s")
        DynamicKafkaSourceBuilder(clusterRequestTimeout='10s')
        """
        return self._duration("clusterRequestTimeout", timeout)

    def cluster_read_timeout(self, timeout: Duration) -> Self:
        """How long the source tries to read a planned range before the query fails. Default 2 min.

        >>> builder.cluster_read_timeout("5m")
        DynamicKafkaSourceBuilder(clusterReadTimeout='5m')
        """
        return self._duration("clusterReadTimeout", timeout)

    def broker_poll_interval(self, interval: Duration) -> Self:
        """The least time between two requests to one cluster while nothing new is found. Default 100 ms.

        >>> builder.broker_poll_interval("1s")
        DynamicKafkaSourceBuilder(brokerPollInterval='1s')
        """
        return self._duration("brokerPollInterval", interval)

    def fail_on_data_loss(self, fail: bool) -> Self:
        """Whether lost records fail the query, or are only counted, with a warning. Default True.

        >>> builder.fail_on_data_loss(False)
        DynamicKafkaSourceBuilder(failOnDataLoss='false')
        """
        return self._flag("failOnDataLoss", fail)

    def max_offsets_per_trigger(self, offsets: int) -> Self:
        """The most offsets that one batch reads, over all clusters.

        >>> builder.max_offsets_per_trigger(100_000)
        DynamicKafkaSourceBuilder(maxOffsetsPerTrigger='100000')
        """
        return self._count("maxOffsetsPerTrigger", offsets)

    def min_offsets_per_trigger(self, offsets: int) -> Self:
        """A batch waits for this many new offsets, over all clusters, but no longer than `max_trigger_delay`.

        >>> builder.min_offsets_per_trigger(1_000)
        DynamicKafkaSourceBuilder(minOffsetsPerTrigger='1000')
        """
        return self._count("minOffsetsPerTrigger", offsets)

    def max_trigger_delay(self, delay: Duration) -> Self:
        """How long a batch waits for `min_offsets_per_trigger`. Default 15 min.

        >>> builder.max_trigger_delay("1m")
        DynamicKafkaSourceBuilder(maxTriggerDelay='1m')
        """
        return self._duration("maxTriggerDelay", delay)

    def max_bytes_per_trigger(self, size: int) -> Self:
        """About how many bytes of records one batch reads, over all clusters.

        >>> builder.max_bytes_per_trigger(256 * 1024 * 1024)
        DynamicKafkaSourceBuilder(maxBytesPerTrigger='268435456')
        """
        return self._count("maxBytesPerTrigger", size)

    def max_timestamp_skew(self, skew: Duration) -> Self:
        """How far, by the records' timestamps, a partition may run ahead of the slowest one with a backlog.

        >>> builder.max_timestamp_skew("10m")
        DynamicKafkaSourceBuilder(maxTimestampSkew='10m')
        """
        return self._duration("maxTimestampSkew", skew)

    def max_skew_wait(self, wait: Duration) -> Self:
        """How long an unavailable cluster holds the others back under `max_timestamp_skew`. Default 10 min.

        >>> builder.max_skew_wait("1h")
        DynamicKafkaSourceBuilder(maxSkewWait='1h')
        """
        return self._duration("maxSkewWait", wait)

    def min_partitions(self, partitions: int) -> Self:
        """The least number of tasks of a batch, over all clusters.

        >>> builder.min_partitions(64)
        DynamicKafkaSourceBuilder(minPartitions='64')
        """
        return self._count("minPartitions", partitions)

    def max_records_per_partition(self, records: int) -> Self:
        """The most offsets that one task reads.

        >>> builder.max_records_per_partition(500_000)
        DynamicKafkaSourceBuilder(maxRecordsPerPartition='500000')
        """
        return self._count("maxRecordsPerPartition", records)

    def max_fetch_bytes_per_task(self, size: int) -> Self:
        """The most fetched bytes that a task's consumers hold, over all clusters. Default 256 MiB.

        >>> builder.max_fetch_bytes_per_task(64 * 1024 * 1024)
        DynamicKafkaSourceBuilder(maxFetchBytesPerTask='67108864')
        """
        return self._count("maxFetchBytesPerTask", size)

    def consumer_idle_timeout(self, timeout: Duration) -> Self:
        """An executor closes a consumer that no task used for this long. Default 60 s.

        >>> builder.consumer_idle_timeout("5m")
        DynamicKafkaSourceBuilder(consumerIdleTimeout='5m')
        """
        return self._duration("consumerIdleTimeout", timeout)

    def group_id_prefix(self, prefix: str) -> Self:
        """How generated group ids begin. Default `spark-dynamic-kafka`.

        >>> builder.group_id_prefix("orders-job")
        DynamicKafkaSourceBuilder(groupIdPrefix='orders-job')
        """
        return self._text("groupIdPrefix", prefix)

    def status_path(self, folder: str) -> Self:
        """A folder, on any Hadoop file system, where each query keeps its status as one JSON file. Default none.

        >>> builder.status_path("s3a://ops/queries")
        DynamicKafkaSourceBuilder(statusPath='s3a://ops/queries')
        """
        return self._text("statusPath", folder)

    def commit_offsets(self, commit: bool) -> Self:
        """Whether positions of finished batches are published under `kafka.group.id`, for lag tools. Default False.

        >>> builder.commit_offsets(False)
        DynamicKafkaSourceBuilder(commitOffsets='false')
        """
        return self._flag("commitOffsets", commit)

    def _has(self, key: str) -> bool:
        return key.lower() in self._options

    def _set(self, key: str, value: OptionValue) -> Self:
        self._options[key.lower()] = (key, value)
        return self

    def _text(self, key: str, value: str) -> Self:
        return self._set(key, OPTIONS.text(key, value))

    def _flag(self, key: str, value: bool) -> Self:
        return self._set(key, OPTIONS.flag(key, value))

    def _count(self, key: str, value: int) -> Self:
        return self._set(key, OPTIONS.count(key, value))

    def _duration(self, key: str, value: Duration) -> Self:
        return self._set(key, OPTIONS.duration(key, value))

    def _offsets(self, key: str, value: Offsets) -> Self:
        return self._set(key, offsets_text(OPTIONS, key, value))
