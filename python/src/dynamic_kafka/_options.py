# Generated from the options of the JVM source: `make docs`. Never edited.
# ruff: noqa: E501
# fmt: off
"""Every option of the source, in the order of its reference page."""

from typing import Final, NamedTuple


class Option(NamedTuple):
    """One option: its key, the builder's method for it, its default (None: not set) and what it means."""

    key: str
    python_name: str
    default: str | None
    doc: str


OPTIONS: Final[tuple[Option, ...]] = (
    Option("metadataService", "metadata_service", None, "Where the streams come from. `yaml`: a file. `http`: a web server. `single-cluster`: each topic of one cluster is a stream. Or your class that implements `KafkaMetadataService`: [the services](metadata.md#the-services)."),
    Option("metadataDiscoveryInterval", "metadata_discovery_interval", "30s", "How often the service is asked. `-1`: only at the start."),
    Option("metadataDiscoveryFailureThreshold", "metadata_discovery_failure_threshold", "-1", "How many failed fetches in a row are tolerated. One more fails the query. `-1`: any number, and the metric `metadataAge` shows them. The first fetch of each start must succeed."),
    Option("metadataRequestTimeout", "metadata_request_timeout", "30s", "A fetch that takes longer counts as a failure."),
    Option("streamIds", "stream_ids", None, "The ids of the streams to read."),
    Option("streamPattern", "stream_pattern", None, "Reads all streams whose whole id matches, later ones too."),
    Option("streamSubscriber", "stream_subscriber", None, "Your class that implements `KafkaStreamSubscriber`. It chooses the streams to read at each fetch."),
    Option("startingOffsets", "starting_offsets", None, "Where a new query starts, on the clusters of its first topology. It is resolved once: a restart continues from the checkpoint. A cluster's own `startingOffsets` win. [All forms](reference/offsets.md#the-forms)."),
    Option("endingOffsets", "ending_offsets", None, "Where a batch read ends (exclusive). A streaming read refuses it: there, only a cluster's own `endingOffsets` set an end."),
    Option("newClusterOffsets", "new_cluster_offsets", "earliest", "Where a cluster starts that the checkpoint does not know yet. A topic or partition that appears later on a known cluster starts at `earliest`, unless the cluster's own `startingOffsets` name it."),
    Option("maxOffsetsPerTrigger", "max_offsets_per_trigger", None, "The most offsets that one batch reads, over all clusters. They are shared by backlog."),
    Option("maxBytesPerTrigger", "max_bytes_per_trigger", None, "Like `maxOffsetsPerTrigger`, in bytes of keys, values and headers. It uses the mean size of the records read since the start, and assumes 1 KiB before the first. A batch reads at least one record. If both limits are set, the smaller counts."),
    Option("minOffsetsPerTrigger", "min_offsets_per_trigger", None, "How many offsets must wait, over all clusters, before a batch reads them. At most `maxOffsetsPerTrigger`. Positions of a new cluster are recorded at once, by a batch that reads nothing. `AvailableNow` and `Once` ignore it."),
    Option("maxTriggerDelay", "max_trigger_delay", "15m", "How long `minOffsetsPerTrigger` may hold records back."),
    Option("maxTimestampSkew", "max_timestamp_skew", None, "How far, by record timestamps, a partition may run ahead of the slowest one with a backlog. If this is at most the watermark's delay, and timestamps rise within each partition, no row is dropped as late while a cluster catches up: [examples](watermarks.md)."),
    Option("maxSkewWait", "max_skew_wait", "10m", "How long an unavailable cluster holds the others back under `maxTimestampSkew`. A cluster that never answered holds nobody back, and in a run of `AvailableNow` none does."),
    Option("minPartitions", "min_partitions", None, "The least number of tasks of a batch, over all clusters. Large ranges are split into equal pieces."),
    Option("maxRecordsPerPartition", "max_records_per_partition", None, "The most offsets that one task reads. Larger ranges are split into equal pieces."),
    Option("removedClusterPolicy", "removed_cluster_policy", "drain", "What happens to a cluster or topic that is no longer listed. `drain`: it is read up to its end at that time. `stop`: reading stops at once."),
    Option("removedClusterRetention", "removed_cluster_retention", "30d", "How long the positions of a removed cluster or topic are kept. If it is listed again in time, it resumes exactly there. Later it counts as new."),
    Option("drainTimeout", "drain_timeout", "1h", "How long tries to read a draining partition may fail. Then its drain ends with a warning, and its rest counts as `abandonedRecords`. If the cluster is inactive, the drain ends at the first failed try. If its address is unknown after a restart, the drain waits until the cluster is listed with `topics: []`, and ends with the retention."),
    Option("unavailableClusterPolicy", "unavailable_cluster_policy", "fail", "What happens when a listed cluster can't be reached, or refuses the login, while a batch is planned. `fail`: the query fails. `skip`: its positions are kept, the query continues with the others, and a warning and a metric report it. A topic that may not be read, or a partition without a leader, is then skipped too."),
    Option("unreadableRangePolicy", "unreadable_range_policy", "wait", "What happens to a part of a planned batch that can't be read, while the batch runs or after a restart. `wait`: the query fails until all can be read. `defer`: the batch ends without this part, and a later batch reads it. Under `unavailableClusterPolicy=fail` only parts of clusters that are not listed as active are deferred. What a table may have already is never deferred. Under `defer` one task reads a partition: `minPartitions` and `maxRecordsPerPartition` cut none. Batch reads ignore this option. [A batch that cannot be read again](operations.md#a-batch-that-cannot-be-read-again) has the limits."),
    Option("clusterRequestTimeout", "cluster_request_timeout", "30s", "The time limit of each request to a cluster on the driver. Several clusters are asked in parallel."),
    Option("clusterReadTimeout", "cluster_read_timeout", "2m", "How long the source tries to read a planned range, over all attempts of a task. Then the query fails with `CLUSTER_UNREACHABLE`, or with `DATA_LOSS` if the cluster answers and its log ends too soon. No attempt fails in its first 10s. Under `unreadableRangePolicy=defer`, if this option is not set, a part is deferred after 10s, or after 1s where the cluster refuses connections."),
    Option("failOnDataLoss", "fail_on_data_loss", "true", "Whether the query fails when records aged out before they were read, or a topic was deleted or re-created. `false`: it warns, counts the records in `dataLossRecords`, and continues at `earliest`. What the metadata removes is never data loss."),
    Option("maxFetchBytesPerTask", "max_fetch_bytes_per_task", "268435456", "The most fetched bytes that the consumers of one task hold, compressed as in Kafka. It decides how many partitions a task fetches at a time: 128 by default, where each counts twice its cluster's `max.partition.fetch.bytes`. [How much a batch holds](operations.md#how-much-a-batch-holds) has the other memory."),
    Option("consumerIdleTimeout", "consumer_idle_timeout", "60s", "An executor closes a consumer that no task used for this long."),
    Option("brokerPollInterval", "broker_poll_interval", "100ms", "The least time between two requests to one cluster while nothing new is found."),
    Option("groupIdPrefix", "group_id_prefix", "spark-dynamic-kafka", "How generated group ids begin. `kafka.group.id` sets one fixed id instead."),
    Option("statusPath", "status_path", None, "A folder, on any Hadoop file system, where each query keeps its status as `<query id>.json`. `dynamic-kafka status` and `dynamic-kafka can-remove` read it: [status files](status.md). Batch reads ignore it."),
    Option("commitOffsets", "commit_offsets", "false", "Whether the positions of finished batches are committed to each cluster under `kafka.group.id`, which must then be set. They are for lag tools, and never read back: [positions for lag tools](operations.md#positions-for-lag-tools). Batch reads commit nothing."),
)
