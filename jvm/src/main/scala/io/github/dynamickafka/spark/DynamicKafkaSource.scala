package io.github.dynamickafka.spark

import java.lang.ref.Reference
import java.util.{Map => JMap}

import scala.annotation.varargs
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SparkSession}

import io.github.dynamickafka.spark.metadata.Registered
import io.github.dynamickafka.spark.options.{OptionProblems, ReadKind, SourceOption, SourceOptions, StreamIdList}

/** The entry point for programs: `DynamicKafkaSource.builder(spark).metadataService(...).streamIds("orders").load()`.
  */
object DynamicKafkaSource {

  /** The name of this source's format in Spark. */
  val Format = "dynamic-kafka"

  def builder(spark: SparkSession): DynamicKafkaSourceBuilder =
    new DynamicKafkaSourceBuilder(spark)
}

/** Collects the options of one source. As in Spark's own readers, each method changes the builder and returns it. If an
  * option is set twice, the later value counts. [[load]] checks the options and does not change the builder, so one
  * builder can be used for several reads. docs/options.md describes each option.
  *
  * A duration is a `java.time.Duration`, or a text with a unit, such as `10s`. Offsets are [[Offsets]], or their text:
  * `earliest`, `latest` or JSON.
  */
final class DynamicKafkaSourceBuilder private[spark] (session: SparkSession) extends OptionMethods {
  private var settings = Map.empty[String, String]
  private var reading  = ReadKind.Streaming: ReadKind
  // The objects that the options name by handle. A registry holds them weakly, so the builder holds them until `load`
  // has made a table that does.
  private var kept = List.empty[AnyRef]

  private[spark] def collected: Map[String, String] = settings

  private[spark] def kind: ReadKind = reading

  /** Any options by their keys, also `kafka.<key>` and `metadataService.<key>`. */
  override def option(key: String, value: String): DynamicKafkaSourceBuilder = {
    settings = settings.filterNot { case (known, _) => known.equalsIgnoreCase(key) } + (key -> value)
    this
  }

  def option(key: String, value: Boolean): DynamicKafkaSourceBuilder = option(key, value.toString)

  def option(key: String, value: Long): DynamicKafkaSourceBuilder = option(key, value.toString)

  def options(more: JMap[String, String]): DynamicKafkaSourceBuilder = {
    more.asScala.foreach { case (key, value) => option(key, value) }
    this
  }

  /** A property of Kafka's clients, for every cluster. A cluster's own properties win. */
  def kafkaProperty(name: String, value: String): DynamicKafkaSourceBuilder = option(s"kafka.$name", value)

  /** Your own object. The source never closes it, and calls it from one thread at a time. */
  def metadataService(service: KafkaMetadataService): DynamicKafkaSourceBuilder = {
    kept = service :: kept
    metadataService(Registered.service(service))
  }

  /** `yaml`, `http`, `single-cluster` or a class name. Options of an earlier service are removed. */
  def metadataService(name: String): DynamicKafkaSourceBuilder = {
    settings = settings.filterNot { case (key, _) => SourceOptions.MetadataServiceConfig.member(key).isDefined }
    set(SourceOptions.MetadataService, name)
  }

  /** The same with the service's own options; their keys have no prefix `metadataService.`. */
  def metadataService(name: String, config: JMap[String, String]): DynamicKafkaSourceBuilder = {
    metadataService(name)
    config.asScala.foreach { case (key, value) => option(s"metadataService.$key", value) }
    this
  }

  @varargs def streamIds(ids: String*): DynamicKafkaSourceBuilder = set(SourceOptions.StreamIds, StreamIdList.text(ids))

  /** Your own object, which chooses the streams at each fetch. */
  def streamSubscriber(subscriber: KafkaStreamSubscriber): DynamicKafkaSourceBuilder = {
    kept = subscriber :: kept
    streamSubscriber(Registered.subscriber(subscriber))
  }

  def streamSubscriber(className: String): DynamicKafkaSourceBuilder = set(SourceOptions.StreamSubscriber, className)

  /** The service is asked only at the start. Later changes are not followed. */
  def metadataDiscoveryOnlyAtStart(): DynamicKafkaSourceBuilder = set(SourceOptions.MetadataDiscoveryInterval, "-1")

  /** A batch read up to the latest records. */
  def bounded(): DynamicKafkaSourceBuilder = {
    reading = ReadKind.Batch
    this
  }

  /** A batch read up to these offsets (exclusive), in the forms of `startingOffsets`. */
  def bounded(endingOffsets: String): DynamicKafkaSourceBuilder = bounded().endingOffsets(endingOffsets)

  def bounded(endingOffsets: Offsets): DynamicKafkaSourceBuilder = bounded().endingOffsets(endingOffsets)

  /** The rows, as a streaming read, or as a batch read after [[bounded]].
    *
    * @throws errors.DynamicKafkaException `INVALID_OPTION`, with all problems of the options
    */
  def load(): DataFrame =
    try
      reading match {
        case ReadKind.Streaming =>
          // Spark does not say at load() which kind of read it will be.
          settings.collectFirst {
            case (key, value) if key.equalsIgnoreCase(SourceOptions.EndingOffsets.key) => value
          }.map(OptionProblems.endingOfStream).foreach { problem =>
            throw OptionProblems.error(Seq(problem))
          }
          session.readStream.format(DynamicKafkaSource.Format).options(settings).load()
        case ReadKind.Batch => session.read.format(DynamicKafkaSource.Format).options(settings).load()
      }
    finally Reference.reachabilityFence(kept)

  private def set(option: SourceOption[_], value: String): DynamicKafkaSourceBuilder = this.option(option.key, value)
}
