package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import scala.collection.immutable.SortedSet

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{Query, Situations}
import io.github.dynamickafka.spark.fakes.FakeKafka.Own
import io.github.dynamickafka.spark.fakes.Situations.{
  absent,
  down,
  fromEarliest,
  only,
  own,
  rule,
  topics,
  AnswerWords,
  ListedWords,
  TopicWords
}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart, OffsetPoint, SourceOffset}
import io.github.dynamickafka.spark.options.{RemovedClusterPolicy, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges, ReadBudget}
import io.github.dynamickafka.spark.reconcile.OneLog.{first, ids, mirrors}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, LastKnown}
import io.github.dynamickafka.spark.topology.Topology

/** Random histories of one log under four ids: a Kafka cluster, the same one renamed, and two mirrors that lag, one of which
  * continues the other. Ids are listed and taken off in any order, alone and together, are paused, answer by halves or not
  * at all, drivers crash, batches are limited and defer a part of what they were to read. Offsets of their own say where
  * the log begins, where each id ends, and where mirroring ended. Whoever reads, each record from the start on is read once.
  *
  * Left out: a start beyond the end, which who takes over takes for a log that was cut off.
  */
class SuccessionHistoriesSuite extends ManyHistories {
  import SuccessionHistoriesSuite._

  private val replies: Gen[Reply] =
    Gen.frequency(
      8 -> Gen.const(Whole),
      2 -> Gen.const(Down),
      1 -> Gen.const(Half),
      1 -> Gen.oneOf(0 to 2).map(Unled(_))
    )

  private val times = Gen.oneOf(Gen.choose(0L, 40L), Gen.choose(1L, 96L).map(_ * 3600000)).map { after =>
    s"""{"timestamp": ${Situations.begin.toEpochMilli + after}}"""
  }

  private val ends =
    Gen.listOfN(
      3,
      Gen.choose(0, 60)
    ).map(_.zipWithIndex.map { case (at, n) => s""""$n": $at""" }.mkString("{\"t\": {", ", ", "}}"))

  private val starts =
    Gen.oneOf(Gen.oneOf("earliest", "latest"), times, Gen.choose(0, 30).map(at => s"""{"t": {"0": $at}}"""))

  /** Only a mirror that says where mirroring ended names offsets of partitions. */
  private val edits: Gen[Move] = for {
    id       <- Gen.oneOf(ids)
    starting <- if (id == first) Gen.option(starts) else Gen.option(Gen.oneOf("earliest", "latest"))
    ending   <- Gen.option(Gen.oneOf(Gen.const("latest"), times, ends))
  } yield Edit(id, Own(starting.map(own), ending.map(own)))

  private val writes: Gen[Move] = Gen.zip(Gen.choose(0, 2), Gen.choose(1, 6)).map((Write.apply _).tupled)

  private val moves: Gen[Move] = Gen.frequency(
    14 -> Gen.zip(Gen.option(Gen.choose(1L, 8L)), Gen.listOfN(ids.size, replies)).map { case (limit, each) =>
      Trigger(limit, ids.zip(each).toMap)
    },
    8 -> writes,
    1 -> Gen.const(Widen),
    2 -> edits,
    5 -> Gen.zip(Gen.oneOf(mirrors), Gen.oneOf(0, 1, 100)).map((Copy.apply _).tupled),
    4 -> Gen.someOf(ids).map(some => List(some.toSet)),
    1 -> Gen.someOf(ids).map(some => Paused(some.toSet)),
    1 -> Gen.const(Crash),
    2 -> Gen.choose(0, 9).map(GiveBack(_)),
    1 -> Gen.oneOf(true, false).map(Lines(_)),
    1 -> Gen.choose(1, 48).map(Sleep(_))
  )

  private val policies: Gen[ReconcilePolicy] = for {
    removal  <- Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop)
    starting <- Gen.oneOf(Gen.const("earliest"), Gen.const("latest"), times)
  } yield fromEarliest.copy(
    starting = rule(starting),
    newCluster = rule("latest"),
    removal = fromEarliest.removal.copy(policy = removal, retention = Duration.ofDays(1000)),
    unavailable = UnavailableClusterPolicy.Skip
  )

  private val before: Gen[scala.List[Move]] = Gen.listOf(Gen.frequency(4 -> writes, 1 -> Gen.const(Widen), 2 -> edits))

  private val histories: Gen[scala.List[Move]] = Gen.choose(5, 60).flatMap(Gen.listOfN(_, moves))

  property(
    "whoever reads a log, each of its records is read once and in order, and none is left out"
  ) {
    forAll(policies, before, replies, histories) { (policy, before, reply, history) =>
      // The old id comes first, with a log that is there already: a mirror alone is a log of its own. Mirrors have all its
      // partitions, and of the first one as much as a start may name.
      val written = Seq(Write(0, 30)) ++ mirrors.map(Copy(_, 0)) ++ before ++ mirrors.map(Copy(_, 1000))
      val begun   = written ++ Seq(List(Set(first)), Trigger(None, ids.map(_ -> reply).toMap))
      val run     = (begun ++ history).foldLeft(Run(Query(policy)))(_ after _)
      // The old id answers as a standby first: its last answer may be from before the position, and then it is held.
      val endless = ids.map(id => Edit(id, run.log.texts(id).copy(ending = None)))
      val back    = (endless ++ Seq(Paused(Set.empty), List(ids.toSet), look, look)).foldLeft(run)(_ after _)
      val calm    = Seq(List(Set(first)), look, look, look).foldLeft(back)(_ after _)
      assertEquals(calm.read, calm.log.partitions.map { case (n, log) => n -> log.latest })
      Prop.passed
    }
  }

  private def look = Trigger(None, ids.map(_ -> Whole).toMap)

  /** @param read how far the query has got, whoever read it; a partition that has not begun is left out */
  private case class Run(
      query: Query,
      log: OneLog = OneLog(),
      listed: Set[String] = Set.empty,
      paused: Set[String] = Set.empty,
      lines: Boolean = false,
      read: Map[Int, Long] = Map.empty,
      last: Vector[OffsetRange] = Vector.empty,
      back: Deferred = Deferred.nothing
  ) {
    def after(move: Move): Run = move match {
      case Write(partition, count) => copy(log = log.written(partition, count, query.now.toEpochMilli))
      case Widen                   => copy(log = log.widened)
      case Copy(mirror, behind)    => copy(log = log.mirrored(mirror, behind))
      case Edit(id, own)           => copy(log = log.copy(own = log.own.updated(id, own)))
      case List(some)              => copy(listed = some)
      case Paused(some)            => copy(paused = some)
      case Lines(there)            => copy(lines = there)
      case Crash                   => copy(query = query.copy(known = LastKnown.nothing))
      case Sleep(hours)            => copy(query = query.after(Duration.ofHours(hours.toLong)))
      case GiveBack(tenths)        => if (last.isEmpty) this else givesBack(tenths)
      case look: Trigger           => copy(query = query.copy(held = rewound), back = Deferred.nothing).looked(look)
    }

    /** Of each range of the last batch, what lies behind so many tenths of it. */
    private def givesBack(tenths: Int): Run = {
      val parts = last.map(range => range -> (range.from + (range.until - range.from) * tenths / 10))
      copy(
        last = Vector.empty,
        read = read ++ parts.map { case (range, from) => range.id.partition -> from },
        back = Deferred(PartitionMap.from(parts.map { case (range, from) =>
          range.id -> DeferredPart(from, range.until, query.held.get(range.id).fold(0)(_.incarnation))
        }))
      )
    }

    private def rewound: SourceOffset = {
      def stopped(id: ClusterId, name: String) =
        query.policy.removal.policy == RemovedClusterPolicy.Stop && !topology.lists(id, name)
      if (back.isEmpty) query.held else back.rewind(query.held, stopped, query.now)
    }

    private def topology: Topology = Situations.listed(listed.toSeq.sorted.map { id =>
      val line = if (lines) log.mirroringEnded(id, read).map(own) else None
      val here = topics("t").copy(
        continues = earlier(id).map(ClusterId(_)).to(SortedSet),
        startingOffsets = line.orElse(log.texts(id).starting),
        endingOffsets = log.texts(id).ending
      )
      id -> (if (paused(id)) here.paused else here)
    }: _*)

    private def answer(id: String, reply: Reply): ClusterObservation = {
      val all  = log.of(id).toSeq.sortBy(_._1).map { case (n, here) => n -> (0 -> here.latest.toInt) }
      val here = reply match {
        // What is left out by its first answer is not known to be there.
        case Half if all.forall { case (n, _) => read.contains(n) } => only(all.take(1): _*)
        case Unled(n) if all.exists(_._1 == n)                      => only(all.filter(_._1 != n): _*).leaderless(n)
        case _                                                      => only(all: _*)
      }
      if (reply == Down) down
      else if (all.isEmpty) Situations.answer("t" -> absent).of(s"K-$id")
      else if (mirrors.contains(id)) Situations.answer("t" -> here.of(s"T-$id")).of(s"K-$id")
      else Situations.answer("t" -> here.of("T")).of("K")
    }

    private def looked(look: Trigger): Run = {
      val here = query.after(Duration.ofMillis(1))
      val seen = here.sees(topology, resolve)(look.replies.map { case (id, reply) =>
        id -> answer(id, reply)
      }.toSeq: _*)
      val next   = seen.readSome(limited(seen.offset, _, look.limit))
      val ranges = OffsetRanges.between(query.held, next.held)
      val since  = if (listed(first)) log.listedFirst(query.policy.starting) else log
      val heard  = since.listedUnder(listed)
      ranges.foldLeft(copy(query = next, log = heard, last = ranges).begins)(_ reads _)
    }

    private def resolve: Situations.Resolve = { case Question(id, OffsetPoint.Timestamp(ms)) =>
      log.of(id.cluster.value)(id.partition).firstAt(ms)
    }

    /** What is held now and was not before begins where it should. */
    private def begins: Run = query.held.partitions.foldLeft(this) { case (run, (id, at)) =>
      if (run.read.contains(id.partition)) run
      else {
        val starts = log.starts(id.cluster.value, id.partition, listed(id.cluster.value))
        assert(starts(at.start), s"$id begins at ${at.start}, not at $starts")
        run.copy(read = run.read.updated(id.partition, at.start))
      }
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
      assertEquals(range.from, read(range.id.partition), s"$range does not follow what was read")
      val end = log.end(range.id.cluster.value, range.id.partition)
      assert(end.forall(range.until <= _), s"$range goes beyond $end")
      copy(read = read.updated(range.id.partition, range.until))
    }
  }
}

object SuccessionHistoriesSuite {

  /** The line of each id; those of earlier ids are included. */
  private val earlier =
    Map("a" -> Set.empty[String], "a2" -> Set("a"), "m" -> Set("a", "a2"), "n" -> Set("a", "a2", "m"))

  sealed trait Reply extends Product with Serializable
  case object Whole  extends Reply
  case object Down   extends Reply

  /** Of one partition alone. */
  case object Half extends Reply

  /** Of all partitions, but nobody leads this one. */
  final case class Unled(partition: Int) extends Reply

  sealed trait Move                                                          extends Product with Serializable
  final case class Trigger(limit: Option[Long], replies: Map[String, Reply]) extends Move
  final case class Write(partition: Int, count: Int)                         extends Move
  case object Widen                                                          extends Move
  case object Crash                                                          extends Move
  final case class Sleep(hours: Int)                                         extends Move
  final case class GiveBack(tenths: Int)                                     extends Move

  /** Another text of the offsets of an id. */
  final case class Edit(id: String, own: Own) extends Move

  /** Whether it is said of the mirrors where mirroring ended. */
  final case class Lines(there: Boolean) extends Move

  /** It gets as far as so many records before the end. */
  final case class Copy(mirror: String, behind: Int) extends Move

  /** Just these ids are listed from now on. */
  final case class List(ids: Set[String]) extends Move

  final case class Paused(ids: Set[String]) extends Move
}
