// Generated from the declared options: `make docs`. Never edited.
// format: off
package io.github.dynamickafka.spark

import java.time.Duration

import io.github.dynamickafka.spark.options.DurationText

/** The builder's methods for the options that take plain values. */
abstract class OptionMethods private[spark] () {

  /** Any option by its key. */
  def option(key: String, value: String): DynamicKafkaSourceBuilder

  /** How often the service is asked. `-1`: only at the start. Default `30s`. */
  def metadataDiscoveryInterval(time: Duration): DynamicKafkaSourceBuilder = option("metadataDiscoveryInterval", DurationText.text(time))

  def metadataDiscoveryInterval(text: String): DynamicKafkaSourceBuilder = option("metadataDiscoveryInterval", text)

  /** How many failed fetches in a row are tolerated. Default `-1`. */
  def metadataDiscoveryFailureThreshold(count: Long): DynamicKafkaSourceBuilder = option("metadataDiscoveryFailureThreshold", count.toString)

  /** A fetch that takes longer counts as a failure. Default `30s`. */
  def metadataRequestTimeout(time: Duration): DynamicKafkaSourceBuilder = option("metadataRequestTimeout", DurationText.text(time))

  def metadataRequestTimeout(text: String): DynamicKafkaSourceBuilder = option("metadataRequestTimeout", text)

  /** Reads all streams whose whole id matches, later ones too. */
  def streamPattern(text: String): DynamicKafkaSourceBuilder = option("streamPattern", text)

  /** Where a new query starts, on the clusters of its first topology. Default: latest; in a batch read earliest. */
  def startingOffsets(offsets: Offsets): DynamicKafkaSourceBuilder = option("startingOffsets", offsets.ofOption)

  def startingOffsets(text: String): DynamicKafkaSourceBuilder = option("startingOffsets", text)

  /** Where a batch read ends (exclusive). Default: latest. */
  def endingOffsets(offsets: Offsets): DynamicKafkaSourceBuilder = option("endingOffsets", offsets.ofOption)

  def endingOffsets(text: String): DynamicKafkaSourceBuilder = option("endingOffsets", text)

  /** Where a cluster starts if the checkpoint does not know it. Default `earliest`. */
  def newClusterOffsets(offsets: Offsets): DynamicKafkaSourceBuilder = option("newClusterOffsets", offsets.ofOption)

  def newClusterOffsets(text: String): DynamicKafkaSourceBuilder = option("newClusterOffsets", text)

  /** The most offsets that one batch reads, over all clusters. */
  def maxOffsetsPerTrigger(count: Long): DynamicKafkaSourceBuilder = option("maxOffsetsPerTrigger", count.toString)

  /** Like `maxOffsetsPerTrigger`, in bytes of keys, values and headers. */
  def maxBytesPerTrigger(count: Long): DynamicKafkaSourceBuilder = option("maxBytesPerTrigger", count.toString)

  /** How many offsets must wait, over all clusters, before a batch reads them. */
  def minOffsetsPerTrigger(count: Long): DynamicKafkaSourceBuilder = option("minOffsetsPerTrigger", count.toString)

  /** How long `minOffsetsPerTrigger` holds records back after the first trigger. Default `15m`. */
  def maxTriggerDelay(time: Duration): DynamicKafkaSourceBuilder = option("maxTriggerDelay", DurationText.text(time))

  def maxTriggerDelay(text: String): DynamicKafkaSourceBuilder = option("maxTriggerDelay", text)

  /** How far, by record timestamps, a partition may run ahead of the slowest one with a backlog: [what it
    * does](watermarks.md#what-maxtimestampskew-does).
    */
  def maxTimestampSkew(time: Duration): DynamicKafkaSourceBuilder = option("maxTimestampSkew", DurationText.text(time))

  def maxTimestampSkew(text: String): DynamicKafkaSourceBuilder = option("maxTimestampSkew", text)

  /** How long an unavailable cluster holds the others back under `maxTimestampSkew`. Default `10m`. */
  def maxSkewWait(time: Duration): DynamicKafkaSourceBuilder = option("maxSkewWait", DurationText.text(time))

  def maxSkewWait(text: String): DynamicKafkaSourceBuilder = option("maxSkewWait", text)

  /** The least number of tasks of a batch, over all clusters. */
  def minPartitions(count: Long): DynamicKafkaSourceBuilder = option("minPartitions", count.toString)

  /** The most offsets that one task reads. */
  def maxRecordsPerPartition(count: Long): DynamicKafkaSourceBuilder = option("maxRecordsPerPartition", count.toString)

  /** The most tasks of a batch in [Real-Time Mode](real-time.md#how-many-cores-it-takes). */
  def realTimeTasks(count: Long): DynamicKafkaSourceBuilder = option("realTimeTasks", count.toString)

  /** What happens to a cluster or topic that is no longer listed. `drain`: it is read up to its end at that time.
    * `stop`: reading stops at once. Default `drain`.
    */
  def removedClusterPolicy(text: String): DynamicKafkaSourceBuilder = option("removedClusterPolicy", text)

  /** How long the positions of a removed cluster or topic are kept. Default `30d`. */
  def removedClusterRetention(time: Duration): DynamicKafkaSourceBuilder = option("removedClusterRetention", DurationText.text(time))

  def removedClusterRetention(text: String): DynamicKafkaSourceBuilder = option("removedClusterRetention", text)

  /** How long reading of a draining partition may fail. Default `1h`. */
  def drainTimeout(time: Duration): DynamicKafkaSourceBuilder = option("drainTimeout", DurationText.text(time))

  def drainTimeout(text: String): DynamicKafkaSourceBuilder = option("drainTimeout", text)

  /** What happens when a listed cluster can't be reached, or refuses the login, while a batch is planned. `fail`:
    * the query fails. `skip`: its positions are kept, and the query continues with the others. Default `fail`.
    */
  def unavailableClusterPolicy(text: String): DynamicKafkaSourceBuilder = option("unavailableClusterPolicy", text)

  /** What happens to a part of a planned batch that can't be read, while the batch runs or after a restart. `wait`:
    * the query fails until all can be read. `defer`: the batch ends without this part, and a later batch reads it,
    * within [limits](operations.md#a-batch-that-cannot-be-read-again). Default `wait`.
    */
  def unreadableRangePolicy(text: String): DynamicKafkaSourceBuilder = option("unreadableRangePolicy", text)

  /** The time limit of each request to a cluster on the driver. Default `30s`. */
  def clusterRequestTimeout(time: Duration): DynamicKafkaSourceBuilder = option("clusterRequestTimeout", DurationText.text(time))

  def clusterRequestTimeout(text: String): DynamicKafkaSourceBuilder = option("clusterRequestTimeout", text)

  /** How long the source tries to read a planned range, over all attempts of a task. Default `2m`. */
  def clusterReadTimeout(time: Duration): DynamicKafkaSourceBuilder = option("clusterReadTimeout", DurationText.text(time))

  def clusterReadTimeout(text: String): DynamicKafkaSourceBuilder = option("clusterReadTimeout", text)

  /** Whether the query fails when records aged out before they were read, or a topic was deleted or re-created.
    * `false`: it warns, counts the records in `dataLossRecords`, and continues at `earliest`. Default `true`.
    */
  def failOnDataLoss(on: Boolean): DynamicKafkaSourceBuilder = option("failOnDataLoss", on.toString)

  /** The most fetched bytes that the consumers of one task hold, compressed as in Kafka. Default `268435456`. */
  def maxFetchBytesPerTask(count: Long): DynamicKafkaSourceBuilder = option("maxFetchBytesPerTask", count.toString)

  /** The most fetched bytes that one executor holds, over all tasks and idle consumers: 40% of its heap by default. */
  def maxFetchBytesPerExecutor(count: Long): DynamicKafkaSourceBuilder = option("maxFetchBytesPerExecutor", count.toString)

  /** An executor closes a consumer that no task used for this long. Default `60s`. */
  def consumerIdleTimeout(time: Duration): DynamicKafkaSourceBuilder = option("consumerIdleTimeout", DurationText.text(time))

  def consumerIdleTimeout(text: String): DynamicKafkaSourceBuilder = option("consumerIdleTimeout", text)

  /** The least time between two requests to one cluster while nothing new is found. Default `100ms`. */
  def brokerPollInterval(time: Duration): DynamicKafkaSourceBuilder = option("brokerPollInterval", DurationText.text(time))

  def brokerPollInterval(text: String): DynamicKafkaSourceBuilder = option("brokerPollInterval", text)

  /** How generated group ids begin. `kafka.group.id` sets one fixed id instead. Default `spark-dynamic-kafka`. */
  def groupIdPrefix(text: String): DynamicKafkaSourceBuilder = option("groupIdPrefix", text)

  /** A folder, on any Hadoop file system, where each query keeps its status for `dynamic-kafka status` and
    * `dynamic-kafka can-remove`: [status files](status.md).
    */
  def statusPath(text: String): DynamicKafkaSourceBuilder = option("statusPath", text)

  /** Whether the positions of finished batches are committed to each cluster under `kafka.group.id`, which must
    * then be set. Default `false`.
    */
  def commitOffsets(on: Boolean): DynamicKafkaSourceBuilder = option("commitOffsets", on.toString)
}
