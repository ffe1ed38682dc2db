package io.github.dynamickafka.spark.options

import java.util.Locale
import java.util.regex.Pattern

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetPoint, OffsetRule, SourceOffset, SparkOffsetText}

/** One Kafka cluster, read by the options of Spark's own Kafka source. Each topic is a stream.
  *
  * @param id of the cluster
  * @param headers whether rows have the column `headers`
  * @param clusterColumns whether rows have the columns `cluster` and `stream`
  * @param late what becomes of a partition that has no record at or after the time at which the query begins
  */
final case class OneCluster(
    id: ClusterId,
    topics: OneCluster.Topics,
    headers: Boolean,
    clusterColumns: Boolean,
    late: OneCluster.LateStart
) {
  import OneCluster.Topics

  /** The partitions that are read of a topic; none: all. Of a topic that is no longer chosen, only those
    * that the query holds are known: they drain.
    *
    * @param held by topic, the partitions that the query holds when it starts
    */
  def partitions(topic: String, held: => Map[String, Set[Int]]): Option[Set[Int]] = topics match {
    case Topics.Named(names, some) if names(topic)                  => some.get(topic)
    case Topics.Matching(pattern) if pattern.matcher(topic).matches => None
    case _                                                          => Some(held.getOrElse(topic, Set.empty))
  }

  /** Why these offsets can't be used: they name partitions, but not exactly those that exist. Spark's own source
    * refuses them, too. A partition that they do not name would have no start or end.
    *
    * @param there all partitions of the topics that have been seen
    */
  def misnamed(offsets: OffsetRule, read: SourceOffset, there: Set[PartitionId]): Option[Failure] =
    offsets.clusters.get(id).filter(_.default.isEmpty).flatMap { own =>
      val left = read.partitions.map(_._1).filter(one => own.point(one.topic, one.partition).isEmpty).toVector
      val seen = there.map(_.topic)
      val gone = for {
        (topic, rule) <- own.topics.toVector if seen(topic)
        partition     <- rule.partitions.keys if !there(PartitionId(id, topic, partition))
      } yield PartitionId(id, topic, partition)
      val wrong = if (left.nonEmpty) Some(say"but not ${named(left)}")
      else Option.when(gone.nonEmpty)(say"also ${named(gone)}, which is not there, or not assigned")
      wrong.map(what =>
        Failure(
          Condition.InvalidOption,
          say"The offsets of the options name partitions, $what. Name exactly the partitions that are there: -2 is " +
            "earliest, -1 latest."
        )
      )
    }

  /** Why a query can't begin at these times: no record is at or after them, and the options do not allow that.
    *
    * @param none whether a partition has no such record
    */
  def tooLate(
      starting: OffsetRule,
      read: SourceOffset,
      none: (PartitionId, OffsetPoint) => Boolean
  ): Option[Failure] = {
    val own  = starting.clusters.get(id).filter(_ => late == OneCluster.LateStart.Fails)
    val left = read.partitions.map(_._1)
      .filter(one => own.flatMap(_.point(one.topic, one.partition)).exists(none(one, _))).toVector
    Option.when(left.nonEmpty)(Failure(
      Condition.InvalidOption,
      say"No record is at or after the starting time in ${named(left)}. Name an earlier time, or set " +
        "`startingOffsetsByTimestampStrategy` to `latest`: such a partition then begins at its end."
    ))
  }

  /** Why a batch can't read these partitions: by the options some would end before they begin. */
  def crossed(ending: OffsetRule, read: SourceOffset): Option[Failure] = {
    val ends = for {
      (cluster, name, topic) <- read.topics
      (number, end)          <- topic.ends.iterator
      point                  <- ending.forCluster(cluster).point(name, number) if point != OffsetPoint.Latest
      held                   <- topic.partitions.get(number) if end < held.start
    } yield PartitionId(cluster, name, number)
    val wrong = ends.toVector
    Option.when(wrong.nonEmpty)(Failure(
      Condition.InvalidOption,
      say"By the options a read ends before it begins in ${named(wrong)}. Name an end that is not before the start."
    ))
  }

  private def named(all: Vector[PartitionId]): Wording =
    Wording.first(all.map(one => say"partition ${Named.partition(one.partition)} of topic ${Named.topic(one.topic)}"))
}

object OneCluster {

  /** Which topics are read. */
  sealed trait Topics extends Product with Serializable

  object Topics {

    /** @param partitions the partitions to read of each, by `assign`; a topic without an entry is read whole */
    final case class Named(topics: SortedSet[String], partitions: Map[String, Set[Int]]) extends Topics

    /** Those whose name matches as a whole. */
    final case class Matching(pattern: Pattern) extends Topics
  }

  /** What becomes of a partition that has no record at or after the time at which the query begins. */
  sealed trait LateStart extends Product with Serializable

  object LateStart {

    /** It fails the query, as in Spark's own source. */
    case object Fails extends LateStart

    /** It begins at its end. */
    case object AtEnd extends LateStart
  }

  /** Options in the form of Spark's own source.
    *
    * @param ours the options that mean the same here, with what the parser of ours needs
    * @param starting `startingOffsets`, as Spark's options give them
    */
  final case class Translation(
      cluster: OneCluster,
      ours: Map[String, String],
      starting: Option[OffsetRule],
      ending: Option[OffsetRule]
  ) {

    /** The settings of the parsed options, for this cluster. */
    def applied(settings: SourceSettings): SourceSettings = settings.copy(
      service = ServiceSettings(ServiceChoice.One(cluster), Map.empty),
      offsets = settings.offsets.copy(starting = starting, ending = ending)
    )
  }

  private val Subscribe        = "subscribe"
  private val SubscribePattern = "subscribePattern"
  private val Assign           = "assign"
  private val choices          = Seq(Subscribe, SubscribePattern, Assign)
  private val Address          = "kafka.bootstrap.servers"

  private val Id             = "clusterId"
  private val ClusterColumns = "clusterColumns"
  private val IncludeHeaders = "includeHeaders"
  private val Strategy       = "startingOffsetsByTimestampStrategy"

  /** An option that gives offsets, and what it means. */
  private case class OffsetForm(suffix: String, read: String => Either[String, ClusterRule])

  // Of several, the first counts, as in Spark's own source.
  private val forms = Seq(
    OffsetForm("Timestamp", SparkOffsetText.timestamp),
    OffsetForm("OffsetsByTimestamp", SparkOffsetText.timestamps),
    OffsetForm("Offsets", SparkOffsetText.offsets)
  )

  private val ofSpark = (choices ++ Seq(Id, ClusterColumns, IncludeHeaders, Strategy) ++
    Seq("starting", "ending").flatMap(side => forms.map(form => s"$side${form.suffix}"))).map(lower).toSet

  // These have a meaning only where metadata lists clusters and streams.
  private val foreign = SourceOptions.selections.map(_.key) ++ Seq(
    SourceOptions.NewClusterOffsets.key,
    SourceOptions.RemovedClusterPolicyOption.key,
    SourceOptions.DrainTimeout.key,
    SourceOptions.RemovedClusterRetention.key
  )

  private val refusedOrTranslated = ofSpark ++ foreign.map(lower)
  private val Delay               = lower(SourceOptions.MaxTriggerDelay.key)

  /** What these options mean, if they are of Spark's own source: an address and a choice of topics, and no metadata
    * service. Else none.
    *
    * @param options keys as the user wrote them
    */
  def of(options: Map[String, String]): Option[Either[Seq[OptionProblem], Translation]] = {
    val written = Written.of(options)
    Option.when(!written.has(SourceOptions.MetadataService.key) && written.has(Address) && choices.exists(written.has))(
      translated(options, written)
    )
  }

  private def translated(options: Map[String, String], written: Written): Either[Seq[OptionProblem], Translation] = {
    val topics   = this.topics(written)
    val headers  = flag(written, IncludeHeaders)
    val columns  = flag(written, ClusterColumns)
    val starting = offsets("starting", written)
    val ending   = offsets("ending", written)
    val late     = lateStart(written)
    val id       = written(Id).filter(_.nonEmpty).getOrElse("kafka")
    val problems = Seq(topics, headers, columns, starting, ending, late).flatMap(_.left.toOption) ++
      (foreign.filter(written.has) ++ ofService(options)).map(key =>
        OptionProblem(key, s"option `$key` needs option `${SourceOptions.MetadataService.key}`")
      )
    if (problems.nonEmpty) Left(problems)
    else for {
      chosen <- topics.left.map(Seq(_))
      start  <- late.left.map(Seq(_))
      one = OneCluster(ClusterId(id), chosen, headers.contains(true), columns.contains(true), start)
    } yield Translation(one, ours(options, one), at(one.id, starting), at(one.id, ending))
  }

  private def ofService(options: Map[String, String]): Seq[String] =
    options.keys.filter(SourceOptions.MetadataServiceConfig.member(_).isDefined).toSeq.sorted

  private def ours(options: Map[String, String], one: OneCluster): Map[String, String] =
    others(options) - SourceOptions.StreamPattern.key + (one.topics match {
      case Topics.Named(names, _)   => SourceOptions.StreamIds.key     -> StreamIdList.text(names.toSeq)
      case Topics.Matching(pattern) => SourceOptions.StreamPattern.key -> pattern.pattern
    })

  /** The options that are not translated, in a form that can be parsed. */
  def others(options: Map[String, String]): Map[String, String] = options.filterNot { case (key, _) =>
    refusedOrTranslated(own(key))
  }.map { case (key, value) => key -> (if (own(key) == Delay) withUnit(value) else value) } ++ Seq(
    SourceOptions.MetadataService.key -> "single-cluster",
    SourceOptions.StreamPattern.key   -> ".*"
  )

  private def own(key: String): String = lower(SparkOptions.copied(key).getOrElse(key))

  // Spark's own source takes a bare number as milliseconds.
  private def withUnit(delay: String): String = if (delay.trim.forall(_.isDigit)) s"${delay.trim}ms" else delay

  private def at(id: ClusterId, rule: Either[OptionProblem, Option[ClusterRule]]): Option[OffsetRule] =
    rule.toOption.flatten.map(here => OffsetRule(None, SortedMap(id -> here)))

  private def topics(written: Written): Either[OptionProblem, Topics] = choices.filter(written.has) match {
    case Seq(key) =>
      val text = written(key).getOrElse("")
      (key match {
        case Subscribe => SparkOffsetText.names(text).map(Topics.Named(_, Map.empty))
        case Assign    => SparkOffsetText.partitions(text).map(all => Topics.Named(all.keySet.to(SortedSet), all))
        case _         => Check.pattern.parse(text).flatMap { _ =>
            // Spark's own source looks for it anywhere in a topic's name.
            Check.pattern.parse(s".*(?:$text).*").left.map(_ => "close the comment or the quotation (`\\Q`) at its end")
          }.map {
            case StreamSelection.Matching(pattern) => Topics.Matching(pattern)
            case other                             => sys.error(s"a pattern is read as $other")
          }
      }).left.map(wrong(key, _))
    case several =>
      Left(OptionProblem(
        several.head,
        s"the options ${several.map(key => s"`$key`").mkString(", ")} exclude each other; keep one of them"
      ))
  }

  private def flag(written: Written, key: String): Either[OptionProblem, Boolean] =
    written(key).fold[Either[OptionProblem, Boolean]](Right(false))(Check.boolean.parse(_).left.map(wrong(key, _)))

  private def offsets(side: String, written: Written): Either[OptionProblem, Option[ClusterRule]] =
    forms.map(form => form -> s"$side${form.suffix}").collectFirst {
      case (form, key) if written.has(key) =>
        form.read(written(key).getOrElse("")).map(Option(_)).left.map(wrong(key, _))
    }.getOrElse(Right(None))

  private def lateStart(written: Written): Either[OptionProblem, LateStart] =
    written(Strategy).map(lower) match {
      case None | Some("error") => Right(LateStart.Fails)
      case Some("latest")       => Right(LateStart.AtEnd)
      case _                    => Left(wrong(Strategy, "allowed is `error` or `latest`"))
    }

  private def wrong(key: String, why: String): OptionProblem = OptionProblem(key, s"option `$key`: $why")

  /** The options by their keys, in any case of letters. Of a table's options the copies count as well. */
  private case class Written(values: Map[String, String]) {
    def apply(key: String): Option[String] = values.get(lower(key))
    def has(key: String): Boolean          = values.contains(lower(key))
  }

  private object Written {
    def of(options: Map[String, String]): Written = new Written(
      options.flatMap { case (key, value) => SparkOptions.copied(key).map(lower(_) -> value.trim) } ++
        options.collect { case (key, value) if SparkOptions.copied(key).isEmpty => lower(key) -> value.trim }
    )
  }

  private def lower(key: String): String = key.toLowerCase(Locale.ROOT)
}
