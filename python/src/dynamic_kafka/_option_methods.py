# Generated from the declared options: `make docs`. Never edited.
# fmt: off
"""The builder's methods for the options that take plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dynamic_kafka._offsets import Offsets
from dynamic_kafka._option_values import Duration, OptionValues

if TYPE_CHECKING:
    # Type checkers know this module, and nothing needs it at run time.
    from typing_extensions import Self


class OptionMethods(OptionValues):
    """Each method checks the type of its value, sets its option, and returns the builder."""

    def metadata_discovery_interval(self, interval: Duration | Literal[-1]) -> Self:
        """How often the service is asked. `-1`: only at the start. Default `30s`."""
        return self._duration_or_off("metadataDiscoveryInterval", interval)

    def metadata_discovery_failure_threshold(self, count: int) -> Self:
        """How many failed fetches in a row are tolerated. Default `-1`."""
        return self._count("metadataDiscoveryFailureThreshold", count)

    def metadata_request_timeout(self, timeout: Duration) -> Self:
        """A fetch that takes longer counts as a failure. Default `30s`."""
        return self._duration("metadataRequestTimeout", timeout)

    def stream_pattern(self, pattern: str) -> Self:
        """Reads all streams whose whole id matches, later ones too."""
        return self._text("streamPattern", pattern)

    def starting_offsets(self, offsets: Offsets) -> Self:
        """Where a new query starts, on the clusters of its first topology. Default: latest; in a batch read
        earliest.
        """
        return self._offsets("startingOffsets", offsets)

    def ending_offsets(self, offsets: Offsets) -> Self:
        """Where a batch read ends (exclusive). Default: latest."""
        return self._offsets("endingOffsets", offsets)

    def new_cluster_offsets(self, offsets: Offsets) -> Self:
        """Where a cluster starts if the checkpoint does not know it. Default `earliest`."""
        return self._offsets("newClusterOffsets", offsets)

    def max_offsets_per_trigger(self, count: int) -> Self:
        """The most offsets that one batch reads, over all clusters."""
        return self._count("maxOffsetsPerTrigger", count)

    def max_bytes_per_trigger(self, count: int) -> Self:
        """Like `max_offsets_per_trigger`, in bytes of keys, values and headers."""
        return self._count("maxBytesPerTrigger", count)

    def min_offsets_per_trigger(self, count: int) -> Self:
        """How many offsets must wait, over all clusters, before a batch reads them."""
        return self._count("minOffsetsPerTrigger", count)

    def max_trigger_delay(self, delay: Duration) -> Self:
        """How long `min_offsets_per_trigger` holds records back after the first trigger. Default `15m`."""
        return self._duration("maxTriggerDelay", delay)

    def max_timestamp_skew(self, skew: Duration) -> Self:
        """How far, by record timestamps, a partition may run ahead of the slowest one with a backlog: [what it
        does](watermarks.md#what-maxtimestampskew-does).
        """
        return self._duration("maxTimestampSkew", skew)

    def max_skew_wait(self, wait: Duration) -> Self:
        """How long an unavailable cluster holds the others back under `max_timestamp_skew`. Default `10m`."""
        return self._duration("maxSkewWait", wait)

    def min_partitions(self, count: int) -> Self:
        """The least number of tasks of a batch, over all clusters."""
        return self._count("minPartitions", count)

    def max_records_per_partition(self, count: int) -> Self:
        """The most offsets that one task reads."""
        return self._count("maxRecordsPerPartition", count)

    def real_time_tasks(self, count: int) -> Self:
        """The most tasks of a batch in [Real-Time Mode](real-time.md#how-many-cores-it-takes)."""
        return self._count("realTimeTasks", count)

    def removed_cluster_policy(self, policy: Literal["drain", "stop"]) -> Self:
        """What happens to a cluster or topic that is no longer listed. `drain`: it is read up to its end at that
        time. `stop`: reading stops at once. Default `drain`.
        """
        return self._text("removedClusterPolicy", policy)

    def removed_cluster_retention(self, retention: Duration) -> Self:
        """How long the positions of a removed cluster or topic are kept. Default `30d`."""
        return self._duration("removedClusterRetention", retention)

    def drain_timeout(self, timeout: Duration) -> Self:
        """How long reading of a draining partition may fail. Default `1h`."""
        return self._duration("drainTimeout", timeout)

    def unavailable_cluster_policy(self, policy: Literal["fail", "skip"]) -> Self:
        """What happens when a listed cluster can't be reached, or refuses the login, while a batch is planned.
        `fail`: the query fails. `skip`: its positions are kept, and the query continues with the others. Default
        `fail`.
        """
        return self._text("unavailableClusterPolicy", policy)

    def unreadable_range_policy(self, policy: Literal["wait", "defer"]) -> Self:
        """What happens to a part of a planned batch that can't be read, while the batch runs or after a restart.
        `wait`: the query fails until all can be read. `defer`: the batch ends without this part, and a later batch
        reads it, within [limits](operations.md#a-batch-that-cannot-be-read-again). Default `wait`.
        """
        return self._text("unreadableRangePolicy", policy)

    def cluster_request_timeout(self, timeout: Duration) -> Self:
        """The time limit of each request to a cluster on the driver. Default `30s`."""
        return self._duration("clusterRequestTimeout", timeout)

    def cluster_read_timeout(self, timeout: Duration) -> Self:
        """How long the source tries to read a planned range, over all attempts of a task. Default `2m`."""
        return self._duration("clusterReadTimeout", timeout)

    def fail_on_data_loss(self, on: bool) -> Self:
        """Whether the query fails when records aged out before they were read, or a topic was deleted or
        re-created. `false`: it warns, counts the records in `dataLossRecords`, and continues at `earliest`. Default
        `true`.
        """
        return self._flag("failOnDataLoss", on)

    def max_fetch_bytes_per_task(self, count: int) -> Self:
        """The most fetched bytes that the consumers of one task hold, compressed as in Kafka. Default `268435456`."""
        return self._count("maxFetchBytesPerTask", count)

    def max_fetch_bytes_per_executor(self, count: int) -> Self:
        """The most fetched bytes that one executor holds, over all tasks and idle consumers: 40% of its heap by
        default.
        """
        return self._count("maxFetchBytesPerExecutor", count)

    def consumer_idle_timeout(self, timeout: Duration) -> Self:
        """An executor closes a consumer that no task used for this long. Default `60s`."""
        return self._duration("consumerIdleTimeout", timeout)

    def broker_poll_interval(self, interval: Duration) -> Self:
        """The least time between two requests to one cluster while nothing new is found. Default `100ms`."""
        return self._duration("brokerPollInterval", interval)

    def group_id_prefix(self, prefix: str) -> Self:
        """How generated group ids begin. `kafka.group.id` sets one fixed id instead. Default `spark-dynamic-kafka`."""
        return self._text("groupIdPrefix", prefix)

    def status_path(self, path: str) -> Self:
        """A folder, on any Hadoop file system, where each query keeps its status for `dynamic-kafka status` and
        `dynamic-kafka can-remove`: [status files](status.md).
        """
        return self._text("statusPath", path)

    def commit_offsets(self, on: bool) -> Self:
        """Whether the positions of finished batches are committed to each cluster under `kafka.group.id`, which
        must then be set. Default `false`.
        """
        return self._flag("commitOffsets", on)
