package io.github.dynamickafka.spark

import java.lang.ref.Reference
import java.time.Duration
import java.util.{Map => JMap}

import scala.annotation.varargs
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SparkSession}

import io.github.dynamickafka.spark.metadata.Registered
import io.github.dynamickafka.spark.options.{
  DurationText,
  OptionProblems,
  ReadKind,
  SourceOption,
  SourceOptions,
  StreamIdList
}

/** The entry point for programs: `DynamicKafkaSource.builder(spark).metadataService(...).streamIds("orders").load()`.
  */
object DynamicKafkaSource {

  /** The name of this source's format in Spark. */
  val Format = "dynamic-kafka"

  def builder(spark: SparkSession): DynamicKafkaSourceBuilder =
    new DynamicKafkaSourceBuilder(spark, Map.empty, ReadKind.Streaming, Nil)
}

/** Collects the options of one source. Each method returns a new builder and does not change this one. If an option is
  * set twice, the later value counts. docs/options.md describes each option. [[load]] checks them.
  *
  * A duration is a `java.time.Duration`, or a text with a unit, such as `10s`.
  *
  * @param kept the objects that the options name by handle. A registry holds them weakly, so the builder holds them
  *             until `load` has made a table that does
  */
final class DynamicKafkaSourceBuilder private[spark] (
    session: SparkSession,
    private[spark] val collected: Map[String, String],
    private[spark] val kind: ReadKind,
    kept: List[AnyRef]
) {

  /** Any options by their keys, also `kafka.<key>` and `metadataService.<key>`. */
  def option(key: String, value: String): DynamicKafkaSourceBuilder =
    copy(collected = collected.filterNot { case (known, _) => known.equalsIgnoreCase(key) } + (key -> value))

  def option(key: String, value: Boolean): DynamicKafkaSourceBuilder = option(key, value.toString)

  def option(key: String, value: Long): DynamicKafkaSourceBuilder = option(key, value.toString)

  def options(more: JMap[String, String]): DynamicKafkaSourceBuilder =
    more.asScala.foldLeft(this) { case (builder, (key, value)) => builder.option(key, value) }

  /** A property of Kafka's clients, for every cluster. A cluster's own properties win. */
  def kafkaProperty(name: String, value: String): DynamicKafkaSourceBuilder = option(s"kafka.$name", value)

  /** Your own object. The source never closes it, and calls it from one thread at a time. */
  def metadataService(service: KafkaMetadataService): DynamicKafkaSourceBuilder =
    metadataService(Registered.service(service)).copy(kept = service :: kept)

  /** `yaml`, `http`, `single-cluster` or a class name. Options of an earlier service are removed. */
  def metadataService(name: String): DynamicKafkaSourceBuilder = {
    val family = SourceOptions.MetadataServiceConfig
    copy(collected = collected.filterNot { case (key, _) => family.member(key).isDefined })
      .set(SourceOptions.MetadataService, name)
  }

  /** The same with the service's own options; their keys have no prefix `metadataService.`. */
  def metadataService(name: String, config: JMap[String, String]): DynamicKafkaSourceBuilder =
    config.asScala.foldLeft(metadataService(name)) { case (builder, (key, value)) =>
      builder.option(s"metadataService.$key", value)
    }

  @varargs def streamIds(ids: String*): DynamicKafkaSourceBuilder = set(SourceOptions.StreamIds, StreamIdList.text(ids))

  /** A regular expression that the whole id matches. */
  def streamPattern(pattern: String): DynamicKafkaSourceBuilder = set(SourceOptions.StreamPattern, pattern)

  /** Your own object, which chooses the streams at each fetch. */
  def streamSubscriber(subscriber: KafkaStreamSubscriber): DynamicKafkaSourceBuilder =
    streamSubscriber(Registered.subscriber(subscriber)).copy(kept = subscriber :: kept)

  def streamSubscriber(className: String): DynamicKafkaSourceBuilder = set(SourceOptions.StreamSubscriber, className)

  /** The service is asked only at the start. Later changes are not followed. */
  def metadataDiscoveryOnlyAtStart(): DynamicKafkaSourceBuilder = set(SourceOptions.MetadataDiscoveryInterval, "-1")

  def metadataDiscoveryInterval(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.MetadataDiscoveryInterval, time)

  def metadataDiscoveryInterval(text: String): DynamicKafkaSourceBuilder =
    set(SourceOptions.MetadataDiscoveryInterval, text)

  def metadataDiscoveryFailureThreshold(failures: Int): DynamicKafkaSourceBuilder =
    set(SourceOptions.MetadataDiscoveryFailureThreshold, failures.toString)

  def metadataRequestTimeout(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.MetadataRequestTimeout, time)

  def metadataRequestTimeout(text: String): DynamicKafkaSourceBuilder = set(SourceOptions.MetadataRequestTimeout, text)

  def startingOffsets(text: String): DynamicKafkaSourceBuilder =
    set(SourceOptions.StartingOffsets, text)

  /** Only for a [[bounded]] read. Its parameter has the same meaning. */
  def endingOffsets(text: String): DynamicKafkaSourceBuilder =
    set(SourceOptions.EndingOffsets, text)

  def newClusterOffsets(text: String): DynamicKafkaSourceBuilder =
    set(SourceOptions.NewClusterOffsets, text)

  def removedClusterPolicy(text: String): DynamicKafkaSourceBuilder =
    set(SourceOptions.RemovedClusterPolicyOption, text)

  def drainTimeout(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.DrainTimeout, time)

  def drainTimeout(text: String): DynamicKafkaSourceBuilder = set(SourceOptions.DrainTimeout, text)

  def removedClusterRetention(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.RemovedClusterRetention, time)

  def removedClusterRetention(text: String): DynamicKafkaSourceBuilder =
    set(SourceOptions.RemovedClusterRetention, text)

  def unavailableClusterPolicy(text: String): DynamicKafkaSourceBuilder =
    set(SourceOptions.UnavailableClusterPolicyOption, text)

  def unreadableRangePolicy(text: String): DynamicKafkaSourceBuilder =
    set(SourceOptions.UnreadableRangePolicyOption, text)

  def clusterRequestTimeout(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.ClusterRequestTimeout, time)

  def clusterRequestTimeout(text: String): DynamicKafkaSourceBuilder = set(SourceOptions.ClusterRequestTimeout, text)

  def clusterReadTimeout(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.ClusterReadTimeout, time)

  def clusterReadTimeout(text: String): DynamicKafkaSourceBuilder = set(SourceOptions.ClusterReadTimeout, text)

  def brokerPollInterval(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.BrokerPollInterval, time)

  def brokerPollInterval(text: String): DynamicKafkaSourceBuilder = set(SourceOptions.BrokerPollInterval, text)

  def failOnDataLoss(on: Boolean): DynamicKafkaSourceBuilder =
    set(SourceOptions.FailOnDataLoss, on.toString)

  def maxOffsetsPerTrigger(count: Long): DynamicKafkaSourceBuilder =
    set(SourceOptions.MaxOffsetsPerTrigger, count.toString)

  def minOffsetsPerTrigger(count: Long): DynamicKafkaSourceBuilder =
    set(SourceOptions.MinOffsetsPerTrigger, count.toString)

  def maxTriggerDelay(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.MaxTriggerDelay, time)

  def maxTriggerDelay(text: String): DynamicKafkaSourceBuilder = set(SourceOptions.MaxTriggerDelay, text)

  def maxBytesPerTrigger(count: Long): DynamicKafkaSourceBuilder =
    set(SourceOptions.MaxBytesPerTrigger, count.toString)

  def maxTimestampSkew(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.MaxTimestampSkew, time)

  def maxTimestampSkew(text: String): DynamicKafkaSourceBuilder = set(SourceOptions.MaxTimestampSkew, text)

  def maxSkewWait(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.MaxSkewWait, time)

  def maxSkewWait(text: String): DynamicKafkaSourceBuilder = set(SourceOptions.MaxSkewWait, text)

  def minPartitions(count: Long): DynamicKafkaSourceBuilder =
    set(SourceOptions.MinPartitions, count.toString)

  def maxRecordsPerPartition(count: Long): DynamicKafkaSourceBuilder =
    set(SourceOptions.MaxRecordsPerPartition, count.toString)

  def maxFetchBytesPerTask(count: Long): DynamicKafkaSourceBuilder =
    set(SourceOptions.MaxFetchBytesPerTask, count.toString)

  def consumerIdleTimeout(time: Duration): DynamicKafkaSourceBuilder =
    set(SourceOptions.ConsumerIdleTimeout, time)

  def consumerIdleTimeout(text: String): DynamicKafkaSourceBuilder = set(SourceOptions.ConsumerIdleTimeout, text)

  def groupIdPrefix(text: String): DynamicKafkaSourceBuilder =
    set(SourceOptions.GroupIdPrefix, text)

  def statusPath(folder: String): DynamicKafkaSourceBuilder =
    set(SourceOptions.StatusPath, folder)

  def commitOffsets(on: Boolean): DynamicKafkaSourceBuilder =
    set(SourceOptions.CommitOffsets, on.toString)

  /** A batch read up to the latest records. */
  def bounded(): DynamicKafkaSourceBuilder = copy(kind = ReadKind.Batch)

  /** A batch read up to these offsets (exclusive), in the forms of `startingOffsets`. */
  def bounded(endingOffsets: String): DynamicKafkaSourceBuilder = bounded().endingOffsets(endingOffsets)

  /** The rows, as a streaming read, or as a batch read after [[bounded]].
    *
    * @throws errors.DynamicKafkaException `INVALID_OPTION`, with all problems of the options
    */
  def load(): DataFrame =
    try
      kind match {
        case ReadKind.Streaming =>
          // Spark does not tell the source at load() which kind of read it will be.
          collected.collectFirst {
            case (key, value) if key.equalsIgnoreCase(SourceOptions.EndingOffsets.key) => value
          }.map(OptionProblems.endingOfStream).foreach { problem =>
            throw OptionProblems.error(Seq(problem))
          }
          session.readStream.format(DynamicKafkaSource.Format).options(collected).load()
        case ReadKind.Batch => session.read.format(DynamicKafkaSource.Format).options(collected).load()
      }
    finally Reference.reachabilityFence(kept)

  private def set(option: SourceOption[_], time: Duration): DynamicKafkaSourceBuilder =
    set(option, DurationText.text(time))

  private def set(option: SourceOption[_], value: String): DynamicKafkaSourceBuilder = this.option(option.key, value)

  private def copy(
      collected: Map[String, String] = collected,
      kind: ReadKind = kind,
      kept: List[AnyRef] = kept
  ): DynamicKafkaSourceBuilder = new DynamicKafkaSourceBuilder(session, collected, kind, kept)
}
