package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.ids.{ClusterId, Printable, StreamId}

/** The texts of Spark's own Kafka source: its options, and its offsets in a checkpoint. Each is by topic, then by partition,
  * such as `{"orders":{"0":1200,"1":-2}}`.
  */
object SparkOffsetText {
  private type Parsed[A] = Either[String, A]

  private val Latest   = -1L
  private val Earliest = -2L

  /** `startingOffsets` or `endingOffsets`. Left: why it is refused, and what is allowed. */
  def offsets(text: String): Parsed[ClusterRule] = text.toLowerCase match {
    case "earliest" => Right(everywhere(OffsetPoint.Earliest))
    case "latest"   => Right(everywhere(OffsetPoint.Latest))
    case _          => rule(text, allowedOffsets, wholeTopic) {
        case Latest                => Some(OffsetPoint.Latest)
        case Earliest              => Some(OffsetPoint.Earliest)
        case offset if offset >= 0 => Some(OffsetPoint.Exact(offset))
        case _                     => None
      }
  }

  private val allowedOffsets =
    "`earliest`, `latest`, or JSON by topic and partition, where -2 is earliest and -1 latest; a topic may also have one of the words"

  private def wholeTopic(word: String): Option[OffsetPoint] = word.toLowerCase match {
    case "earliest" => Some(OffsetPoint.Earliest)
    case "latest"   => Some(OffsetPoint.Latest)
    case _          => None
  }

  /** `startingOffsetsByTimestamp` or `endingOffsetsByTimestamp`, in milliseconds. */
  def timestamps(text: String): Parsed[ClusterRule] =
    rule(text, "JSON by topic and partition, with times in milliseconds since 1970", _ => None)(time)

  /** `startingTimestamp` or `endingTimestamp`, in milliseconds. */
  def timestamp(text: String): Parsed[ClusterRule] = text.toLongOption.flatMap(time).map(everywhere)
    .toRight(s"found `${Printable.clipped(text)}`; allowed is a time in milliseconds since 1970")

  /** `subscribe`. */
  def names(text: String): Parsed[SortedSet[String]] = {
    val names = text.split(",").map(_.trim).filter(_.nonEmpty)
    if (names.isEmpty) Left("it names no topic; allowed are topics separated by commas") else Right(names.to(SortedSet))
  }

  /** `assign`: `{"orders":[0,1]}`. */
  def partitions(text: String): Parsed[Map[String, Set[Int]]] = {
    val allowed = "allowed is JSON with the partitions of each topic, such as `{\"orders\":[0,1]}`"
    val found   = for {
      root   <- parsed(text) if root.isObject && !root.isEmpty
      topics <- all(root.properties.asScala.toVector.map(entry => partitionList(entry.getValue).map(entry.getKey -> _)))
    } yield topics.toMap
    found.toRight(s"found `${Printable.clipped(text)}`; $allowed")
  }

  private def partitionList(node: JsonNode): Option[Set[Int]] =
    if (node.isArray && !node.isEmpty) all(node.elements.asScala.toVector.map(partition)).map(_.toSet) else None

  private def partition(node: JsonNode): Option[Int] =
    Option.when(node.canConvertToInt && node.isIntegralNumber)(node.intValue).filter(_ >= 0)

  /** An offset that Spark's own source has written into a checkpoint; none if the text is no such offset.
    *
    * Each partition begins at offset 0. That is as in Spark's own source: where the offset before lacks a partition,
    * that source begins at the earliest record, and counts all before that as lost.
    *
    * @param cluster the id of the cluster that it was written for
    */
  def held(text: String, cluster: ClusterId): Option[SourceOffset] = for {
    root   <- parsed(text) if root.isObject
    topics <- byTopic(root)(numbers(_)(Some(_).filter(_ >= 0)))
  } yield SourceOffset(
    SortedMap(cluster -> ClusterOffset(
      kafkaId = None,
      topics = topics.map { case (name, partitions) =>
        name -> TopicOffset(
          None,
          StreamId(name),
          partitions.map { case (number, next) => number -> PartitionOffset(0, next, 0) }
        )
      }
    ))
  )

  private def everywhere(point: OffsetPoint) = ClusterRule(Some(point), SortedMap.empty)

  private def time(ms: Long): Option[OffsetPoint] = Option.when(ms >= 0)(OffsetPoint.Timestamp(ms))

  /** @param whole what a word means for a whole topic */
  private def rule(text: String, allowed: String, whole: String => Option[OffsetPoint])(
      point: Long => Option[OffsetPoint]
  ): Parsed[ClusterRule] = {
    def topic(node: JsonNode): Option[TopicRule] =
      if (node.isTextual) whole(node.textValue).map(all => TopicRule(Some(all), SortedMap.empty))
      else numbers(node)(point).map(TopicRule(None, _))
    parsed(text).filter(root => root.isObject && !root.isEmpty).flatMap(byTopic(_)(topic)).map(ClusterRule(None, _))
      .toRight(s"found `${Printable.clipped(text)}`; allowed is $allowed")
  }

  private def byTopic[A](root: JsonNode)(own: JsonNode => Option[A]): Option[SortedMap[String, A]] =
    all(root.properties.asScala.toVector.map(entry => own(entry.getValue).map(entry.getKey -> _))).map(_.to(SortedMap))

  private def numbers[A](node: JsonNode)(value: Long => Option[A]): Option[SortedMap[Int, A]] =
    if (!node.isObject) None
    else all(node.properties.asScala.toVector.map { entry =>
      for {
        number <- entry.getKey.toIntOption if number >= 0
        offset = entry.getValue if offset.isIntegralNumber && offset.canConvertToLong
        own <- value(offset.longValue)
      } yield number -> own
    }).map(_.to(SortedMap))

  private def parsed(text: String): Option[JsonNode] =
    try Option(StrictJson.mapper.readTree(text))
    catch { case NonFatal(_) => None }

  private def all[A](found: Vector[Option[A]]): Option[Vector[A]] =
    Option.when(found.forall(_.isDefined))(found.flatten)
}
