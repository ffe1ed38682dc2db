package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}
import io.github.dynamickafka.spark.plan.ReadBudget
import io.github.dynamickafka.spark.reconcile.observed.LastKnown
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Random histories of one log without leader epochs that is written, cut off and looked at, with `failOnDataLoss=false`,
  * compared with a naive reader that knows which records it has seen. Drivers crash, and forget what they suspected.
  *
  * Left out: brokers that give topics no ids; what nobody can see: a log that is back at the position before anybody could
  * be sure; and leader epochs, which `ProvenCutHistoriesSuite` has.
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
}

object TruncationHistoriesSuite {
  sealed trait Move                             extends Product with Serializable
  final case class Write(count: Int)            extends Move
  final case class Cut(count: Int)              extends Move
  final case class Pass(seconds: Int)           extends Move
  final case class Trigger(limit: Option[Long]) extends Move
  case object Crash                             extends Move

  private val orders = listed("eu" -> topics("orders"))
  private val here   = partition("eu", "orders", 0)

  /** @param cut whether the log was cut off at `start`
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

    /** After a look at this end: the reader before it reads, how far it may read, and what is lost. */
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
}
