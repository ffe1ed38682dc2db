package io.github.dynamickafka.spark.reconcile

import munit.Assertions

import io.github.dynamickafka.spark.fakes.Situations
import io.github.dynamickafka.spark.fakes.Situations.{only, topics, AnswerWords, ListedWords, TopicWords}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges}
import io.github.dynamickafka.spark.reconcile.FailOvers.{other, Ids}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.ListedCluster

/** Two Kafka clusters, `a` and `b`, with topic `t`. Each record has a number of its own.
  *
  * @param primary where producers write. The other one mirrors it while it has nothing else
  * @param made how often the topic was made
  * @param moved where mirroring ended when producers moved; none before the first move
  */
final case class TwoClusters(
    primary: String = "a",
    logs: Map[String, Map[Int, Vector[Long]]] = Ids.map(_ -> TwoClusters.empty).toMap,
    made: Map[String, Int] = Ids.map(_ -> 1).toMap,
    moved: Option[Map[Int, Int]] = None,
    last: Long = 0
) {
  private def changed(id: String, partition: Int)(by: Vector[Long] => Vector[Long]) =
    copy(logs = logs.updated(id, logs(id).updated(partition, by(logs(id)(partition)))))

  def written(partition: Int, count: Int): TwoClusters =
    changed(primary, partition)(_ ++ (last + 1 to last + count)).copy(last = last + count)

  /** Whether the other cluster has nothing that the primary one does not have. */
  def mirrors: Boolean = logs(other(primary)).forall { case (n, log) => logs(primary)(n).startsWith(log) }

  /** The other cluster gets as far as so many records before the end. */
  def mirrored(partition: Int, behind: Int): TwoClusters =
    if (!mirrors) this
    else changed(other(primary), partition) { has =>
      val source = logs(primary)(partition)
      source.take(Math.max(has.size, source.size - behind))
    }

  def failedOver: TwoClusters =
    if (mirrors)
      copy(primary = other(primary), moved = Some(logs(other(primary)).map { case (n, log) => n -> log.size }))
    else this

  /** The topic of the other cluster is deleted and created again. */
  def remade: TwoClusters = {
    val id = other(primary)
    copy(logs = logs.updated(id, TwoClusters.empty), made = made.updated(id, made(id) + 1))
  }

  def answer(id: String): ClusterObservation.Answered = Situations.answer(
    "t" -> only(logs(id).toSeq.sortBy(_._1).map { case (n, log) => n -> (0 -> log.size) }: _*).of(s"T-$id-${made(id)}")
  ).of(s"K-$id")
}

object TwoClusters {
  private val empty = Map(0 -> Vector.empty[Long], 1 -> Vector.empty[Long])
}

/** A query on two clusters, and what the contract says of it when producers move without a plan. The metadata may follow
  * late, flap, and say where mirroring ended or not.
  *
  * Left out: a mirror that is listed alone before producers have moved; and an old cluster that is listed, once the new one
  * has taken over, before it is a mirror of that.
  *
  * @param listed the ids that list the topic
  * @param line whether the metadata says where mirroring ended, if it lists the primary cluster alone
  * @param answered where each partition ended when its cluster answered last, since the driver's start
  * @param owed the partitions that have to be held, by the mirror that is to take over, and why
  * @param read all records that were read
  * @param unnoticed the records that lie in a gap which producers had filled before anyone asked
  */
final case class FailOvers(
    world: TwoClusters = TwoClusters().written(0, 10).written(1, 10),
    listed: Set[String] = Set("a"),
    line: Boolean = false,
    answered: Map[(String, Int), Int] = Map.empty,
    owed: Map[(String, Int), String] = Map.empty,
    read: Set[Long] = Set.empty,
    unnoticed: Set[Long] = Set.empty
) extends Assertions {
  def written(partition: Int, count: Int): FailOvers = copy(world = world.written(partition, count))
  def failedOver: FailOvers                          = copy(world = world.failedOver)

  /** @param holders the ids that hold the position. What producers left is mirrored back once the query has left it, too */
  def mirrored(partition: Int, behind: Int, holders: Set[String]): FailOvers =
    if (holders(other(world.primary))) this else copy(world = world.mirrored(partition, behind))

  def remade(holders: Set[String]): FailOvers = {
    val id = other(world.primary)
    if (holders(id)) this
    else copy(
      world = world.remade,
      answered = answered.filterNot(_._1._1 == id),
      owed = owed.filterNot(_._1._1 == id)
    )
  }

  def lists(ids: Set[String], line: Boolean, holders: Set[String]): FailOvers = {
    val old     = holders == Set(other(world.primary))
    val allowed = if (ids.size == 2) old || world.mirrors else ids(world.primary) || old
    if (allowed) copy(listed = ids, line = line) else this
  }

  /** Another start of the query. */
  def restarted: FailOvers = copy(answered = Map.empty)

  /** Where mirroring ended, if the metadata says so. */
  def lineOf(id: String): Option[Map[Int, Int]] =
    world.moved.filter(_ => line && listed == Set(id) && id == world.primary)

  def topology(at: SourceOffset): Seq[(String, ListedCluster)] = {
    val holder = FailOvers.holder(at)
    val reader = holder.filter(listed).orElse(listed.headOption)
    listed.toSeq.sorted.map { id =>
      val continues = if (listed.size == 2) !reader.contains(id) else holder.exists(_ != id) || lineOf(id).isDefined
      val here      = if (continues) topics("t").continuing(other(id)) else topics("t")
      val ends      = lineOf(id).map(_.toSeq.sorted.map { case (n, end) => s""""$n":$end""" })
      id -> ends.fold(here)(all => here.startingAt(all.mkString("""{"t":{""", ",", "}}")))
    }
  }

  /** The records of a range, as this cluster has them. */
  def records(id: String, range: OffsetRange): Vector[Long] = {
    val log = world.logs(id)(range.id.partition)
    assert(range.until <= log.size, s"$range is not there")
    log.slice(range.from.toInt, range.until.toInt)
  }

  /** A batch is read. */
  def reads(records: Seq[Long]): FailOvers = {
    assertEquals(records.filter(read), Seq.empty[Long], "read again")
    copy(read = read ++ records)
  }

  /** After a step.
    *
    * @param held the offset from which it started
    * @param seen the ids that it had an answer of
    * @param next the offset that it logs
    */
  def stepped(held: SourceOffset, seen: Set[String], next: SourceOffset): FailOvers = {
    val at   = positions(held)
    val from = FailOvers.holder(held)
    val now  = listed.find(id => listed.size == 1 && from.exists(_ != id)) match {
      case Some(id) => succeeds(id, at, seen, next)
      case None     => copy(owed = owed -- seen.flatMap(caughtUp(_, from, at, seen)))
    }
    val on = OffsetRanges.between(held, next).map(_.id.partition).toSet
    now.copy(
      answered = (answered ++ (for (id <- seen; (n, log) <- world.logs(id)) yield (id, n) -> log.size)).filterNot {
        case ((id, n), _) => on(n) && !listed(id)
      },
      owed = now.owed.filterNot { case ((_, n), _) => on(n) }
    )
  }

  private def positions(held: SourceOffset): Map[Int, Long] =
    Ids.flatMap(id => held.topic(ClusterId(id), "t")).flatMap(_.partitions).map { case (n, at) => n -> at.next }.toMap

  // One that stands by and has caught up, beside the reader's own answer.
  private def caughtUp(id: String, reader: Option[String], at: Map[Int, Long], seen: Set[String]) = for {
    reading   <- reader.toSeq if reading != id && listed.size == 2 && seen(reading)
    (n, next) <- at.toSeq
    end = world.logs(id)(n).size if next <= end && end <= world.logs(reading)(n).size
  } yield id -> n

  private def succeeds(id: String, at: Map[Int, Long], seen: Set[String], next: SourceOffset): FailOvers = {
    val short = for {
      (n, position) <- at
      end <- (answered.get(id -> n) ++ Option.when(seen(id))(world.logs(id)(n).size)).minOption if end < position
    } yield (id, n) -> s"it ended at $end, read up to $position"
    val all = short ++ owed
    next.topic(ClusterId(id), "t").fold(copy(owed = all)) { topic =>
      lineOf(id) match {
        case None        => at.keys.foreach(n => assertEquals(all.get(id -> n), None, s"$id takes over partition $n"))
        case Some(lines) => topic.partitions.foreach { case (n, here) =>
            assertEquals(here.start, at(n).min(lines(n).toLong), s"$id takes over partition $n, line ${lines(n)}")
          }
      }
      val own  = world.moved.filter(_ => id == world.primary).getOrElse(Map.empty)
      val lost = topic.partitions.flatMap { case (n, here) =>
        own.get(n).toSeq.flatMap(world.logs(id)(n).slice(_, here.start.toInt))
      }
      copy(owed = owed.filterNot(_._1._1 == id), unnoticed = unnoticed ++ lost)
    }
  }

  /** All that the primary cluster has is read, but for what nobody could notice. */
  def check(): Unit = for ((n, log) <- world.logs(world.primary))
    assertEquals(log.filterNot(read ++ unnoticed), Vector.empty[Long], s"not read of partition $n")
}

object FailOvers {
  val Ids: Seq[String] = Seq("a", "b")

  def other(id: String): String = Ids.find(_ != id).get

  /** The id that holds the position. */
  def holder(at: SourceOffset): Option[String] = at.topics.collectFirst { case (id, "t", _) => id.value }
}
