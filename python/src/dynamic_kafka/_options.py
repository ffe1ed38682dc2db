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
    Option("metadataService", "metadata_service", None, "Who answers which streams exist and where they are. `yaml`: a file. `http`: a web server. `single-cluster`: each topic of one cluster is a stream. Or your class that implements `KafkaMetadataService`."),
    Option("metadataDiscoveryInterval", "metadata_discovery_interval", "30s", "How often the service is asked. `-1`: only at the start. Later changes are then not followed, and a log line says so."),
    Option("metadataDiscoveryFailureThreshold", "metadata_discovery_failure_threshold", "-1", "How many consecutive failures of the service are tolerated. Meanwhile the last topology is kept; one more failure fails the query. `-1`: no number of failures does, and the metric `metadataAge` shows them. The first fetch of each start must succeed."),
    Option("metadataRequestTimeout", "metadata_request_timeout", "30s", "A fetch from the service that takes longer counts as a failure. Its late answer is dropped."),
    Option("streamIds", "stream_ids", None, "The ids of the streams to read."),
    Option("streamPattern", "stream_pattern", None, "Reads all streams whose whole id matches, later ones too."),
    Option("streamSubscriber", "stream_subscriber", None, "Your class that implements `KafkaStreamSubscriber`. It chooses the streams to read at each fetch."),
    Option("startingOffsets", "starting_offsets", None, "Where a new query starts on every cluster of its first topology. Each level of the JSON may also take one of the other forms. Beside named topics or partitions, `*` stands for all others, and beside named clusters the empty key `\"\"`; what the JSON does not name gets the default. `committed` is what a consumer group has committed on the cluster; `otherwise`, in any form but an offset, is for partitions without a commit. If no record is at or after a timestamp, the partition starts at its end. Resolved once: a restart continues from the checkpoint. A cluster's own `startingOffsets` win. docs/reference/offsets.md shows each form."),
    Option("endingOffsets", "ending_offsets", None, "Where a batch read ends (exclusive), in the forms of `startingOffsets`. Refused for a streaming read, where only a cluster's own `endingOffsets` set an end."),
    Option("newClusterOffsets", "new_cluster_offsets", "earliest", "Where a cluster starts, with all its topics, if the checkpoint of a query does not know it yet. The forms are those of `startingOffsets`. The log line `cluster began` reports how many records that is. A topic or partition that appears later on a known cluster starts at `earliest`, unless the cluster's own `startingOffsets` name it."),
    Option("maxOffsetsPerTrigger", "max_offsets_per_trigger", None, "The most offsets that one batch reads, over all clusters. They are shared by backlog, so that none starves."),
    Option("maxBytesPerTrigger", "max_bytes_per_trigger", None, "Like `maxOffsetsPerTrigger`, in bytes of keys, values and headers as Kafka holds them. Uses the mean size of the records read since the start, and assumes 1 KiB before the first. A batch reads at least one record. If both limits are set, the smaller counts."),
    Option("minOffsetsPerTrigger", "min_offsets_per_trigger", None, "How many offsets must wait, over all clusters, before a batch reads them. What must be recorded at once, such as the positions of a new cluster, gets a batch that reads nothing. At most `maxOffsetsPerTrigger`. The triggers `AvailableNow` and `Once` ignore it."),
    Option("maxTriggerDelay", "max_trigger_delay", "15m", "How long `minOffsetsPerTrigger` may hold records back, since the last batch that read any, or since the start."),
    Option("maxTimestampSkew", "max_timestamp_skew", None, "How far, by record timestamps, a partition may run ahead of the slowest one with a backlog. In each partition a batch ends before the first record that is later than the earliest next record of any backlog plus this. If timestamps rise within a partition and the watermark's delay is at least this, no row is dropped as late while one cluster catches up. A partition without a backlog holds nobody back. docs/watermarks.md has examples."),
    Option("maxSkewWait", "max_skew_wait", "10m", "How long a cluster that does not answer holds the others back under `maxTimestampSkew`. A cluster that was never reached holds nobody back. In a run of `AvailableNow`, none does."),
    Option("minPartitions", "min_partitions", None, "The least number of tasks of a batch, over all clusters, as long as it has as many offsets. Large ranges are split into equal pieces."),
    Option("maxRecordsPerPartition", "max_records_per_partition", None, "The most offsets that one task reads. Larger ranges are split into equal pieces."),
    Option("removedClusterPolicy", "removed_cluster_policy", "drain", "What happens to a cluster or topic that is no longer listed. `drain`: it is read up to the end found when the removal was noticed. `stop`: reading stops at once."),
    Option("removedClusterRetention", "removed_cluster_retention", "30d", "How long the positions of a removed cluster or topic are kept. If it is listed again in time, it resumes exactly there. Later it counts as new, and what Kafka still has may be read again."),
    Option("drainTimeout", "drain_timeout", "1h", "How long tries to read a draining partition may fail. Then its draining ends with a warning, and its rest counts as `abandonedRecords`; other partitions go on. A cluster that `isClusterActive` calls inactive is tried once, unless it has another id now. After a restart its address may be unknown: the drain then waits until the cluster is listed with `topics: []`, and ends with the retention."),
    Option("unavailableClusterPolicy", "unavailable_cluster_policy", "fail", "What happens when a listed cluster can't be reached, or refuses our credentials, while a batch is prepared. `fail`: the query fails. `skip`: its positions are held, the other clusters go on, and a metric and a warning report it. With `skip`, a topic that may not be read, or a partition without a leader, is held alone."),
    Option("unreadableRangePolicy", "unreadable_range_policy", "wait", "What happens to the part of a logged batch that can't be read now, whether the batch runs or was left over by a restart. `wait`: the query fails until all can be read. `defer`: the batch ends without this part, which is read once it can be; under `unavailableClusterPolicy=fail` only parts of clusters that are not listed as active. A part that a table of the batch may have already is never left out: then the query fails until it can be read. Under `defer` one task reads a partition: `minPartitions` and `maxRecordsPerPartition` cut none. A sink may get the part twice if it had finished just this batch when the driver died, or if it runs asynchronously; a warning says so. Batch reads ignore this option."),
    Option("clusterRequestTimeout", "cluster_request_timeout", "30s", "The time limit of every call to one cluster on the driver. Clusters are asked in parallel."),
    Option("clusterReadTimeout", "cluster_read_timeout", "2m", "How long the source tries to read a planned range, over all attempts of a task, before the query fails with `CLUSTER_UNREACHABLE`, or with `DATA_LOSS` if the cluster answers and its log ends too soon. A restart reads the same range. What `unreadableRangePolicy=defer` may leave to a later batch is waited for 10s, if this option is not set, and 1s where the cluster refuses connections. The query does not fail in the first 10s of an attempt."),
    Option("failOnDataLoss", "fail_on_data_loss", "true", "Whether the query fails when records aged out before they were read, or a topic was deleted or re-created. `false`: the query warns, counts the records, and continues at `earliest`. What the metadata removes is never data loss."),
    Option("maxFetchBytesPerTask", "max_fetch_bytes_per_task", "268435456", "The most fetched bytes that the consumers of one task hold, over all its partitions and clusters, compressed as in Kafka. It decides how many partitions a task fetches at a time: 128 by default, where each counts twice its cluster's `max.partition.fetch.bytes`. For memory beyond this, see \"Memory of executors\" in docs/operations.md."),
    Option("consumerIdleTimeout", "consumer_idle_timeout", "60s", "An executor closes a consumer that no task used for this long."),
    Option("brokerPollInterval", "broker_poll_interval", "100ms", "The least time between two requests to one cluster while nothing new is found."),
    Option("groupIdPrefix", "group_id_prefix", "spark-dynamic-kafka", "How generated group ids begin. `kafka.group.id` sets one fixed id instead."),
    Option("statusPath", "status_path", None, "A folder, on any Hadoop file system, where each query keeps its status as one JSON file, `<query id>.json`. `dynamic-kafka status` and `dynamic-kafka released` read it: see docs/status.md. Batch reads ignore it."),
    Option("commitOffsets", "commit_offsets", "false", "Whether the positions of finished batches are published to each cluster under `kafka.group.id`, which must then be set, for lag tools. In the background, best effort, and never read back: see \"Positions for lag tools\" in docs/operations.md. Batch reads publish nothing."),
)
