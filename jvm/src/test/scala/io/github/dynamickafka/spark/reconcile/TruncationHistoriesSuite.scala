package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart, LogAgreement}
import io.github.dynamickafka.spark.plan.ReadBudget
import io.github.dynamickafka.spark.reconcile.observed.{Extent, LastKnown}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Random histories of one log that is written, cut off and looked at, with `failOnDataLoss=false`, held against a naive
  * reader that knows which records it has seen. Drivers crash, and forget what they doubted. With leader epochs the cluster
  * also gets another id and back, is paused, and batches defer a part of what they were to read.
  *
  * Left out: brokers that give topics no ids; and, without leader epochs, what nobody can see: a log that is back at the
  * position before anybody could be sure.
  */
class TruncationHistoriesSuite extends ManyHistories {
  import TruncationHistoriesSuite._

  private val moves: Gen[Move] = Gen.frequency(
    8 -> Gen.option(Gen.choose(1L, 6L)).map(Trigger(_)),
    5 -> Gen.choose(1, 9).map(Write(_)),
    2 -> Gen.choose(1, 12).map(Cut(_)),
    3 -> Gen.choose(5, 40).map(Pass(_)),
    1 -> Gen.const(Crash)
  )

  property("what is written after a cut that was seen is read once, from the lowest end seen, and the rest is counted") {
    forAll(Gen.choose(5, 60).flatMap(Gen.listOfN(_, moves))) { history =>
      history.foldLeft(Run(Query(fromEarliest.copy(failOnDataLoss = false)), Naive(), end = 0))(_ after _)
      Prop.passed
    }
  }

  private val more: Gen[Move] = Gen.frequency(
    20 -> moves,
    1  -> Gen.const(Rename),
    1  -> Gen.oneOf(true, false).map(Paused(_)),
    2  -> Gen.choose(0, 9).map(GiveBack(_))
  )

  property("with leader epochs each cut below the position is found at the next look, however far the log has grown") {
    forAll(Gen.choose(5, 60).flatMap(Gen.listOfN(_, more))) { history =>
      history.foldLeft(Proved(Query(fromEarliest.copy(failOnDataLoss = false))))(_ after _)
      history.foldLeft(Proved(Query(fromEarliest)))(_ after _)
      Prop.passed
    }
  }
}

object TruncationHistoriesSuite {
  sealed trait Move                             extends Product with Serializable
  final case class Write(count: Int)            extends Move
  final case class Cut(count: Int)              extends Move
  final case class Pass(seconds: Int)           extends Move
  final case class Trigger(limit: Option[Long]) extends Move
  case object Crash                             extends Move

  /** The same Kafka cluster is listed under the other id. */
  case object Rename                     extends Move
  final case class Paused(now: Boolean)  extends Move
  final case class GiveBack(tenths: Int) extends Move

  private val orders = listed("eu" -> topics("orders"))
  private val here   = partition("eu", "orders", 0)

  /** @param cut whether the log was cut off at the start
    * @param doubt since when the log ends too early, its lowest end since, and how much of the old one was not read
    * @param known how far it could be read when it was looked at last
    */
  final case class Naive(
      start: Long = 0,
      next: Long = 0,
      cut: Boolean = false,
      known: Option[Long] = None,
      doubt: Option[(java.time.Instant, Long, Long)] = None
  ) {

    /** After a look at this end: itself before it reads, how far it may read, and what is lost. */
    def sees(end: Long, now: java.time.Instant): (Naive, Long, Option[Long]) = doubt match {
      case None if end >= next || next == start && !cut => (this, Math.max(end, next), None)
      case None => (copy(doubt = Some((now, end, known.fold(0L)(_ - next).max(0L)))), next, None)
      case Some((since, lowest, unread)) if since.plus(policy.agreement).isAfter(now) =>
        (copy(doubt = Some((since, Math.min(lowest, end), unread))), next, None)
      case Some((_, lowest, unread)) if end < next =>
        val from = Math.min(lowest, end)
        (Naive(from, from, cut = true), end, Some(unread))
      // It can't be distinguished from a log that was never cut off.
      case Some(_) => (copy(doubt = None), end, None)
    }

    def reads(until: Long, end: Long): Naive = copy(next = until, known = Option.when(end > next)(end))
  }

  /** @param end of the log */
  final case class Run(query: Query, naive: Naive, end: Long) {
    def after(move: Move): Run = move match {
      case Write(count) => copy(end = end + count)
      case Cut(count)   => copy(end = (end - count).max(0))
      case Pass(time)   => copy(query = query.after(Duration.ofSeconds(time.toLong)))
      case Crash => copy(query = query.copy(known = LastKnown.nothing), naive = naive.copy(doubt = None, known = None))
      case Trigger(limit) => looked(limit)
      case _              => this
    }

    private def looked(limit: Option[Long]): Run = {
      val seen                  = query.sees(orders)("eu" -> answer("orders" -> has(0 -> end.toInt).of("T")))
      val (before, until, lost) = naive.sees(end, query.now)
      munit.Assertions.assertEquals(seen.notices.collect { case Notice.Lost(_, records, _) => records }, lost.toVector)
      val logged = seen.readSome(limited(seen, _, limit))
      val held   = logged.held.get(here)
      val read   = limit.fold(until)(most => Math.min(until, before.next + most))
      munit.Assertions.assertEquals(held.map(at => (at.start, at.next)), Some((before.start, read)))
      copy(query = logged, naive = before.reads(read, until))
    }

    private def limited(seen: Seen, readable: Map[PartitionId, Long], limit: Option[Long]): Map[PartitionId, Long] =
      limit.fold(readable) { most =>
        val next    = seen.offset.get(here).fold(0L)(_.next)
        val backlog = readable.map { case (id, until) => id -> (until - next) }
        ReadBudget.spread(PartitionMap.from(backlog), most, None).map { case (id, count) => id -> (next + count) }
      }
  }

  /** The same log with leader epochs: each cut begins another one.
    *
    * @param starts where each epoch begins, from the first one on
    * @param cut where the log was cut off below the position, if it was
    * @param known how far it could be read when it was looked at last
    */
  final case class Proved(
      query: Query,
      end: Long = 0,
      starts: Vector[Long] = Vector(0),
      next: Long = 0,
      cut: Option[Long] = None,
      known: Option[Long] = None,
      id: String = "eu",
      paused: Boolean = false,
      last: Option[Long] = None
  ) {
    private def here = partition(id, "orders", 0)

    private def orders = {
      val own = topics("orders").continuing(if (id == "eu") "us" else "eu")
      listed(id -> (if (paused) own.paused else own))
    }

    /** The batch before defers what lies behind so many tenths of it. */
    private def givesBack(tenths: Int, start: Long): Proved = {
      val from = start + (next - start) * tenths / 10
      val held = query.held
      val part = DeferredPart(from, next, held.get(here).fold(0)(_.incarnation))
      val rest = Deferred(PartitionMap.from(Vector(here -> part)))
      copy(
        query = query.copy(held = rest.rewind(held, (_, _) => false, query.now)),
        next = from,
        cut = cut.filter(_ < from),
        last = None
      )
    }

    def after(move: Move): Proved = move match {
      case Write(count)   => copy(end = end + count)
      case Pass(time)     => copy(query = query.after(Duration.ofSeconds(time.toLong)))
      case Crash          => copy(query = query.copy(known = LastKnown.nothing, last = None), known = None)
      case Trigger(limit) => looked(limit)
      case Rename         => copy(id = if (id == "eu") "us" else "eu", known = None, last = None)
      case Paused(now)    => copy(paused = now)
      case GiveBack(n)    => last.filter(_ < next).fold(this)(givesBack(n, _))
      case Cut(count)     =>
        val at = (end - count).max(0)
        // In a later epoch no record of an earlier one lies behind its start.
        copy(
          end = at,
          starts = starts.map(Math.min(_, at)) :+ at,
          cut = if (at < next) Some(cut.fold(at)(Math.min(_, at))) else cut
        )
    }

    private def resolve: Resolve = { case Question(_, LogAgreement(position, epoch)) =>
      Some(Math.min(position, if (epoch + 1 < starts.size) starts(epoch + 1) else end))
    }

    private def looked(limit: Option[Long]): Proved = {
      val extent = Extent(0, end, end, Some(starts.size - 1))
      val said   = answer("orders" -> Present(Some("T"), Map(0 -> extent))).of("K")
      val seen   = query.sees(orders, resolve)(id -> said)
      if (paused) {
        munit.Assertions.assertEquals(seen.ranges, Vector.empty)
        copy(query = seen.read)
      } else if (cut.isDefined && query.policy.failOnDataLoss) {
        munit.Assertions.assertEquals(seen.failure.condition, Condition.DataLoss: Condition)
        // Someone allows the loss for one step.
        copy(query = query.under(_.copy(failOnDataLoss = false))).looked(limit).strict(query.policy)
      } else {
        val from = cut.getOrElse(next)
        val lost = cut.map(_ => known.fold(0L)(_ - next).max(0L))
        munit.Assertions.assertEquals(
          seen.notices.collect { case Notice.Lost(_, records, _) => records }.size,
          lost.size
        )
        val read   = Math.max(from, limit.fold(end)(most => Math.min(end, from + most)))
        val logged = seen.readSome(_.map { case (id, until) =>
          id -> limit.fold(until)(most => Math.min(until, from + most))
        })
        munit.Assertions.assertEquals(logged.held.get(here).map(_.next), Some(read))
        copy(query = logged, next = read, cut = None, known = Option.when(end > from)(end), last = Some(from))
      }
    }

    private def strict(policy: ReconcilePolicy): Proved = copy(query = query.copy(policy = policy))
  }
}
