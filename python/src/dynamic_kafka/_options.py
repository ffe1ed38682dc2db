# Generated from the declared options: `make docs`. Never edited.
# fmt: off
"""Every option of the source, in the order of its reference page."""

from typing import Final, NamedTuple


class Option(NamedTuple):
    """One option: its key, and the builder's method for it."""

    key: str
    python_name: str


OPTIONS: Final[tuple[Option, ...]] = (
    Option("metadataService", "metadata_service"),
    Option("metadataDiscoveryInterval", "metadata_discovery_interval"),
    Option("metadataDiscoveryFailureThreshold", "metadata_discovery_failure_threshold"),
    Option("metadataRequestTimeout", "metadata_request_timeout"),
    Option("streamIds", "stream_ids"),
    Option("streamPattern", "stream_pattern"),
    Option("streamSubscriber", "stream_subscriber"),
    Option("startingOffsets", "starting_offsets"),
    Option("endingOffsets", "ending_offsets"),
    Option("newClusterOffsets", "new_cluster_offsets"),
    Option("maxOffsetsPerTrigger", "max_offsets_per_trigger"),
    Option("maxBytesPerTrigger", "max_bytes_per_trigger"),
    Option("minOffsetsPerTrigger", "min_offsets_per_trigger"),
    Option("maxTriggerDelay", "max_trigger_delay"),
    Option("maxTimestampSkew", "max_timestamp_skew"),
    Option("maxSkewWait", "max_skew_wait"),
    Option("minPartitions", "min_partitions"),
    Option("maxRecordsPerPartition", "max_records_per_partition"),
    Option("realTimeTasks", "real_time_tasks"),
    Option("removedClusterPolicy", "removed_cluster_policy"),
    Option("removedClusterRetention", "removed_cluster_retention"),
    Option("drainTimeout", "drain_timeout"),
    Option("unavailableClusterPolicy", "unavailable_cluster_policy"),
    Option("unreadableRangePolicy", "unreadable_range_policy"),
    Option("clusterRequestTimeout", "cluster_request_timeout"),
    Option("clusterReadTimeout", "cluster_read_timeout"),
    Option("failOnDataLoss", "fail_on_data_loss"),
    Option("maxFetchBytesPerTask", "max_fetch_bytes_per_task"),
    Option("maxFetchBytesPerExecutor", "max_fetch_bytes_per_executor"),
    Option("consumerIdleTimeout", "consumer_idle_timeout"),
    Option("brokerPollInterval", "broker_poll_interval"),
    Option("groupIdPrefix", "group_id_prefix"),
    Option("statusPath", "status_path"),
    Option("commitOffsets", "commit_offsets"),
)
