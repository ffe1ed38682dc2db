package io.github.dynamickafka.spark.fakes

import java.time.{Duration, Instant}

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.fakes.FakeKafka._
import io.github.dynamickafka.spark.fakes.Situations.Resolve
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent, ReadObstacle, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.{OwnOffsets, Pause, Topology}

/** The real state of a few Kafka clusters, and what the metadata lists. Time moves with each event.
  *
  * @param listed the topics that are listed, by cluster
  * @param own the offsets that the metadata gives a cluster when it lists it
  * @param paused the topics that are paused of each cluster while it is listed, be they listed or not
  * @param created how many topics were ever created; used for their ids
  */
final case class FakeKafka(
    topics: Map[Name, Topic] = Map.empty,
    listed: Map[String, Set[String]] = Map.empty,
    own: Map[String, Own] = Map.empty,
    paused: Map[String, Set[String]] = Map.empty,
    now: Instant = Situations.begin,
    created: Int = 0
) {
  def after(event: Event): FakeKafka = (event match {
    case Write(name, partition, count)           => change(name)(_.write(partition, count, now.toEpochMilli))
    case AgeOut(name, partition)                 => change(name)(_.ageOut(partition))
    case Widen(name) if topics.contains(name)    => change(name)(topic => Topic(topic.id, topic.logs :+ Log.empty))
    case Widen(name)                             => create(name)
    case Recreate(name) if topics.contains(name) => create(name)
    case Recreate(_)                             => this
    case Delete(name)                            => copy(topics = topics - name)
    case Lists(listed)                           => copy(listed = listed)
    case Pauses(paused)                          => copy(paused = paused)
    case Edits(cluster, texts)                   => copy(own = own.updated(cluster, texts))
    case Sleep(hours)                            => copy(now = now.plus(Duration.ofHours(hours.toLong)))
    case _: Trigger | _: GiveBack | Crash        => this
  }).tick

  /** The same, a millisecond later: no two events are simultaneous. */
  private def tick: FakeKafka = copy(now = now.plusMillis(1))

  private def change(name: Name)(change: Topic => Topic): FakeKafka =
    copy(topics = topics.updatedWith(name)(_.map(change)))

  private def create(name: Name): FakeKafka =
    copy(topics = topics.updated(name, Topic(s"T$created", Vector(Log.empty))), created = created + 1)

  def topology: Topology = Situations.listed(listed.toSeq.map { case (cluster, names) =>
    val topics = Situations.topics(names.toSeq: _*)
    cluster -> topics.copy(
      startingOffsets = texts(cluster).starting,
      endingOffsets = texts(cluster).ending,
      pause = Pause.Topics(paused.getOrElse(cluster, Set.empty).to(SortedSet))
    )
  }: _*)

  def pauses(name: Name): Boolean = listed.contains(name._1) && paused.get(name._1).exists(_(name._2))

  /** The offsets of a cluster's own. */
  def texts(cluster: String): Own = own.getOrElse(cluster, Own())

  /** What a cluster answers about all possible topics. */
  def answer(cluster: String, reply: Reply): ClusterObservation = reply match {
    case Whole | Again      => answered(cluster, _ => true, _ => true)
    case Down               => Situations.down
    case Stranger           => Answered(Some("another"), Map.empty)
    case Part(some, few)    => answered(cluster, some, few)
    case hampered: Hampered => hampered.of(answered(cluster, _ => true, _ => true))
  }

  private def answered(cluster: String, said: String => Boolean, saidOf: Int => Boolean): Answered = Answered(
    Some(s"K-$cluster"),
    topicNames.filter(said).map(name =>
      name -> topics.get(cluster -> name).fold[TopicObservation](TopicObservation.Absent) { topic =>
        TopicObservation.Present(Some(topic.id), topic.extents.filter { case (partition, _) => saidOf(partition) })
      }
    ).toMap
  )

  /** The first record at or after a time, by the clusters' own clocks, and what groups have committed. */
  def resolve: Resolve = {
    case Question(id, OffsetPoint.Timestamp(ms)) if topics.contains(id.cluster.value -> id.topic) =>
      topics(id.cluster.value -> id.topic).logs(id.partition).firstAt(ms)
    case Question(id, _: OffsetPoint.Committed) => committed(id.partition)
  }
}

object FakeKafka {

  /** Cluster and topic. */
  type Name = (String, String)

  val clusterNames: Vector[String]  = Vector("a", "b", "c")
  val topicNames: Vector[String]    = Vector("t", "u")
  val clusterIds: Vector[ClusterId] = clusterNames.map(ClusterId(_))

  /** What each group has committed of a partition. */
  def committed(partition: Int): Option[Long] = Option.when(partition % 2 == 0)(2)

  /** A cluster's own starting and ending offsets. */
  final case class Own(starting: Option[OwnOffsets] = None, ending: Option[OwnOffsets] = None)

  final case class Topic(id: String, logs: Vector[Log]) {
    def extents: Map[Int, Extent] = logs.indices.map(n => n -> Extent(logs(n).earliest, logs(n).latest)).toMap

    def write(partition: Int, count: Int, at: Long): Topic = change(partition)(_.write(count, at))
    def ageOut(partition: Int): Topic                      = change(partition)(_.ageOut)

    private def change(partition: Int)(change: Log => Log): Topic =
      if (partition < logs.size) copy(logs = logs.updated(partition, change(logs(partition)))) else this
  }

  /** @param written the first offset of each write, and when it was, in milliseconds since the epoch */
  final case class Log(earliest: Long, latest: Long, written: Vector[(Long, Long)]) {
    def write(count: Int, at: Long): Log = copy(latest = latest + count, written = written :+ (latest -> at))

    /** The older half of the records is gone. */
    def ageOut: Log = copy(earliest = (earliest + latest + 1) / 2)

    def firstAt(ms: Long): Option[Long] =
      written.collectFirst { case (first, at) if at >= ms => Math.max(first, earliest) }.filter(_ < latest)
  }

  object Log {
    val empty: Log = Log(0, 0, Vector.empty)
  }

  sealed trait Event                                                         extends Product with Serializable
  final case class Write(name: Name, partition: Int, count: Int)             extends Event
  final case class AgeOut(name: Name, partition: Int)                        extends Event
  final case class Widen(name: Name)                                         extends Event
  final case class Recreate(name: Name)                                      extends Event
  final case class Delete(name: Name)                                        extends Event
  final case class Lists(listed: Map[String, Set[String]])                   extends Event
  final case class Pauses(paused: Map[String, Set[String]])                  extends Event
  final case class Edits(cluster: String, own: Own)                          extends Event
  final case class Sleep(hours: Int)                                         extends Event
  final case class Trigger(limit: Option[Long], replies: Map[String, Reply]) extends Event

  /** The driver dies, and what it remembered is gone. */
  case object Crash extends Event

  /** The last batch defers these of its ranges, each from so many tenths on. */
  final case class GiveBack(whose: Set[Int], tenths: Int) extends Event

  /** How a cluster answers at one trigger. */
  sealed trait Reply   extends Product with Serializable
  case object Whole    extends Reply
  case object Down     extends Reply
  case object Stranger extends Reply

  /** It has not answered since. Its last answer counts, if it was about what is listed now. */
  case object Again                                                extends Reply
  final case class Part(topics: Set[String], partitions: Set[Int]) extends Reply

  /** @param hidden the topics that we may not describe
    * @param barred the topics that we may describe, but not read
    * @param leaderless the partitions of all topics without a leader
    */
  final case class Hampered(hidden: Set[String], barred: Set[String], leaderless: Set[Int]) extends Reply {
    def of(whole: Answered): Answered = whole.copy(topics = whole.topics.map {
      case (name, _) if hidden(name) => name -> TopicObservation.Hidden
      case (name, there: Present)    => name -> hampered(name, there)
      case other                     => other
    })

    private def hampered(name: String, there: Present): Present = {
      val (silent, said) = there.partitions.partition { case (number, _) => leaderless(number) }
      val operations     = if (barred(name)) Vector("READ") else Vector.empty[String]
      there.copy(
        partitions = said,
        obstacle = ReadObstacle(operations, silent.keys.map(_ -> ReadObstacle.Leaderless).to(SortedMap))
      )
    }
  }
}
