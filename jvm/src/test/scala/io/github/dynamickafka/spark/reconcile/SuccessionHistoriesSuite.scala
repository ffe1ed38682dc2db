package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import scala.collection.immutable.SortedSet

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{Query, Situations}
import io.github.dynamickafka.spark.fakes.FakeKafka.Log
import io.github.dynamickafka.spark.fakes.Situations.{
  down,
  fromEarliest,
  only,
  topics,
  AnswerWords,
  ListedWords,
  TopicWords
}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, GivenBack, SourceOffset}
import io.github.dynamickafka.spark.options.{RemovedClusterPolicy, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges, ReadBudget}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, LastKnown}
import io.github.dynamickafka.spark.topology.Topology

/** Random histories of one log under four ids: a Kafka cluster, the same one renamed, and two mirrors that lag, one of which
  * continues the other. Ids are listed and taken off in any order, alone and together, are paused, answer by halves or not
  * at all, drivers crash, batches are limited and give back a part of what they were to read, and it is said
  * where mirroring ended. Whoever reads, each record of the log is read once, and in order.
  */
class SuccessionHistoriesSuite extends ManyHistories {
  import SuccessionHistoriesSuite._

  private val replies: Gen[Reply] = Gen.frequency(8 -> Gen.const(Whole), 2 -> Gen.const(Down), 1 -> Gen.const(Half))

  private val moves: Gen[Move] = Gen.frequency(
    14 -> Gen.zip(Gen.option(Gen.choose(1L, 8L)), Gen.listOfN(ids.size, replies)).map { case (limit, each) =>
      Trigger(limit, ids.zip(each).toMap)
    },
    8 -> Gen.zip(Gen.choose(0, 2), Gen.choose(1, 6)).map((Write.apply _).tupled),
    1 -> Gen.const(Widen),
    5 -> Gen.zip(Gen.oneOf(mirrors), Gen.oneOf(0, 1, 100)).map((Copy.apply _).tupled),
    4 -> Gen.someOf(ids).map(some => List(some.toSet)),
    1 -> Gen.someOf(ids).map(some => Paused(some.toSet)),
    1 -> Gen.const(Crash),
    2 -> Gen.choose(0, 9).map(GiveBack(_)),
    1 -> Gen.oneOf(true, false).map(Lines(_)),
    1 -> Gen.choose(1, 48).map(Sleep(_))
  )

  private val policies: Gen[ReconcilePolicy] = Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop).map {
    removal =>
      fromEarliest.copy(
        removal = fromEarliest.removal.copy(policy = removal),
        unavailable = UnavailableClusterPolicy.Skip
      )
  }

  private val histories: Gen[scala.List[Move]] = Gen.choose(5, 60).flatMap(Gen.listOfN(_, moves))

  property("whoever reads a log, each of its records is read once and in order, and none is left out") {
    forAll(policies, histories) { (policy, history) =>
      // The old id comes first: a mirror alone is a log of its own.
      val begun = Seq(List(Set("a")), look).foldLeft(Run(query = Query(policy)))(_ after _)
      val run   = history.foldLeft(begun)(_ after _)
      // The old id answers as a standby first: its last answer may be from before the position, and then it is held.
      val back   = Seq(Paused(Set.empty), List(ids.toSet), look, look).foldLeft(run)(_ after _)
      val calm   = Seq(List(Set("a")), look, look, look).foldLeft(back)(_ after _)
      val ends   = calm.log.map { case (partition, log) => partition -> log.latest }
      val tables = calm.log.map { case (partition, _) => partition -> calm.read.getOrElse(partition, 0L) }
      assertEquals(tables, ends)
      Prop.passed
    }
  }

  private def look = Trigger(None, ids.map(_ -> Whole).toMap)

  /** @param log of the Kafka cluster, by partition
    * @param copied how far each mirror has got
    * @param read how far the query has got, whoever read it
    */
  private case class Run(
      query: Query,
      log: Map[Int, Log] = Map(0 -> Log.empty),
      copied: Map[String, Map[Int, Long]] = mirrors.map(_ -> Map.empty[Int, Long]).toMap,
      listed: Set[String] = Set.empty,
      paused: Set[String] = Set.empty,
      lines: Boolean = false,
      read: Map[Int, Long] = Map.empty,
      last: Vector[OffsetRange] = Vector.empty,
      back: Deferred = Deferred.nothing
  ) {
    def after(move: Move): Run = move match {
      case Write(partition, count) =>
        copy(log = log.updatedWith(partition)(_.map(_.write(count, query.now.toEpochMilli))))
      case Widen                => copy(log = log.updated(log.size, Log.empty))
      case Copy(mirror, behind) =>
        val ends = log.map { case (partition, here) =>
          partition -> Math.max(had(mirror, partition), here.latest - behind)
        }
        copy(copied = copied.updated(mirror, ends))
      case List(some)       => copy(listed = some)
      case Paused(some)     => copy(paused = some)
      case Lines(there)     => copy(lines = there)
      case Crash            => copy(query = query.copy(known = LastKnown.nothing))
      case Sleep(hours)     => copy(query = query.after(Duration.ofHours(hours.toLong)))
      case GiveBack(tenths) => if (last.isEmpty) this else givesBack(tenths)
      case look: Trigger    => copy(query = query.copy(held = rewound), back = Deferred.nothing).looked(look)
    }

    /** Of each range of the last batch, what lies behind so many tenths of it. */
    private def givesBack(tenths: Int): Run = {
      val parts = last.map(range => range -> (range.from + (range.until - range.from) * tenths / 10))
      copy(
        last = Vector.empty,
        read = read ++ parts.map { case (range, from) => range.id.partition -> from },
        back = Deferred(PartitionMap.from(parts.map { case (range, from) =>
          range.id -> GivenBack(from, range.until, query.held.get(range.id).fold(0)(_.incarnation))
        }))
      )
    }

    private def rewound: SourceOffset = {
      def stopped(id: ClusterId, name: String) =
        query.policy.removal.policy == RemovedClusterPolicy.Stop && !topology.lists(id, name)
      if (back.isEmpty) query.held else back.rewind(query.held, stopped, query.now)
    }

    private def had(mirror: String, partition: Int): Long = copied(mirror).getOrElse(partition, 0L)

    private def topology: Topology = Situations.listed(listed.toSeq.sorted.map { id =>
      val own   = topics("t").copy(continues = earlier(id).map(ClusterId(_)).to(SortedSet))
      val lines = ended(id).fold(own)(own.startingAt)
      id -> (if (paused(id)) lines.paused else lines)
    }: _*)

    /** Where mirroring ended, of a mirror that has all that was read. */
    private def ended(id: String): Option[String] =
      Option.when(lines && mirrors.contains(id) && log.keys.forall(n => had(id, n) >= read.getOrElse(n, 0L))) {
        log.keys.map(n => s""""$n":${had(id, n)}""").mkString("""{"t":{""", ",", "}}")
      }

    private def answer(id: String, reply: Reply): ClusterObservation = {
      val ends =
        if (mirrors.contains(id)) copied(id) else log.map { case (partition, here) => partition -> here.latest }
      val said = if (reply == Half) ends.take(1) else ends
      val here = only(said.toSeq.map { case (partition, end) => partition -> (0 -> end.toInt) }: _*)
      if (reply == Down) down
      else if (mirrors.contains(id)) Situations.answer("t" -> here.of(s"T-$id")).of(s"K-$id")
      else Situations.answer("t" -> here.of("T")).of("K")
    }

    private def looked(look: Trigger): Run = {
      val here   = query.after(Duration.ofMillis(1))
      val seen   = here.sees(topology)(look.replies.map { case (id, reply) => id -> answer(id, reply) }.toSeq: _*)
      val next   = seen.readSome(limited(seen.offset, _, look.limit))
      val ranges = OffsetRanges.between(query.held, next.held)
      ranges.foldLeft(copy(query = next, last = ranges))(_ reads _)
    }

    private def limited(offset: SourceOffset, readable: Map[PartitionId, Long], limit: Option[Long]) =
      limit.fold(readable) { most =>
        val next    = readable.map { case (id, _) => id -> offset.get(id).map(_.next).getOrElse(0L) }
        val backlog = readable.toVector.map { case (id, until) => id -> (until - next(id)) }
        ReadBudget.spread(PartitionMap.from(backlog), most, None).collect {
          case (id, count) if count > 0 => id -> (next(id) + count)
        }
      }

    private def reads(range: OffsetRange): Run = {
      val got = read.getOrElse(range.id.partition, 0L)
      assertEquals(range.from, got, s"$range does not follow what was read")
      copy(read = read.updated(range.id.partition, range.until))
    }
  }
}

object SuccessionHistoriesSuite {
  private val ids     = Vector("a", "a2", "m", "n")
  private val mirrors = Vector("m", "n")

  /** The line of each id; those of earlier ids are included. */
  private val earlier =
    Map("a" -> Set.empty[String], "a2" -> Set("a"), "m" -> Set("a", "a2"), "n" -> Set("a", "a2", "m"))

  sealed trait Reply extends Product with Serializable
  case object Whole  extends Reply
  case object Down   extends Reply

  /** Of one partition alone. */
  case object Half extends Reply

  sealed trait Move                                                          extends Product with Serializable
  final case class Trigger(limit: Option[Long], replies: Map[String, Reply]) extends Move
  final case class Write(partition: Int, count: Int)                         extends Move
  case object Widen                                                          extends Move
  case object Crash                                                          extends Move
  final case class Sleep(hours: Int)                                         extends Move
  final case class GiveBack(tenths: Int)                                     extends Move

  /** Whether it is said of the mirrors where mirroring ended. */
  final case class Lines(there: Boolean) extends Move

  /** A mirror gets as far as so many records before the end. */
  final case class Copy(mirror: String, behind: Int) extends Move

  /** Just these ids are listed from now on. */
  final case class List(ids: Set[String]) extends Move

  final case class Paused(ids: Set[String]) extends Move
}
