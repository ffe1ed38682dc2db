package io.github.dynamickafka.spark.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap, StreamId}
import io.github.dynamickafka.spark.offsets.PartitionOffset
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.Reconciled

/** What a running batch knows, and when it ends early. Schedules are in `RealTimeSchedulesSuite`. */
class RealTimeBatchSuite extends FunSuite {
  private val (eu, us) = (id("eu", "orders", 0), id("us", "orders", 0))
  private val begun = Offsets.offset(eu -> PartitionOffset(0, 5, 0, Some(2)), us -> PartitionOffset(0, 7, 1, Some(4)))
  private val batch = RealTimeBatch(
    1,
    begun,
    Vector(eu -> 5L, us -> 7L).map { case (id, from) => OffsetRange(id, from, Long.MaxValue, StreamId("s")) }
  )

  private def report(parts: TakenPart*)                   = RealTimeReport(parts.toVector)
  private def attempt(number: Int, parts: TakenPart*)     = RealTimeReport(parts.toVector, attempt = number.toLong)
  private def answer(of: (RealTimeBatch, RealTimeAnswer)) = of._2

  test("its end is its beginning, moved to what tasks have ended with; what did not move keeps its epoch") {
    val (one, first)  = batch.ended(report(TakenPart(0, 9, Some(3))))
    val (two, second) = one.ended(report(TakenPart(1, 7)))
    assertEquals(Seq(first, second), Seq[RealTimeAnswer](RealTimeAnswer.Ends, RealTimeAnswer.Ends))
    assertEquals(one.open.map(_.id), Vector(us))
    assertEquals(
      two.end,
      Offsets.offset(eu -> PartitionOffset(0, 9, 0, Some(3)), us -> PartitionOffset(0, 7, 1, Some(4)))
    )
  }

  test("of copies the first one that ends decides, whatever others have said before") {
    val decided = batch.copy(copies = true).says(report(TakenPart(0, 20)))._1.ended(report(TakenPart(0, 9)))._1
    assertEquals(decided.known(Seq(0, 1)), Map(0 -> 9L))
    assertEquals(decided.ended(report(TakenPart(0, 10)))._2, RealTimeAnswer.RunsAgain: RealTimeAnswer)
    assertEquals(decided.ended(report(TakenPart(0, 8)))._2, RealTimeAnswer.ReadsOn(Map(0 -> 9L)): RealTimeAnswer)
    assertEquals(decided.ended(report(TakenPart(0, 9)))._2, RealTimeAnswer.Ends: RealTimeAnswer)
    assertEquals(decided.fellBack, true)
    assertEquals(decided.reached.get(eu).map(_.next), Some(9L))
  }

  test("without copies the latest attempt decides, and an earlier one that still runs fails") {
    val first = batch.ended(attempt(7, TakenPart(0, 20)))._1
    assertEquals(first.known(Seq(0)), Map.empty[Int, Long], "the next attempt keeps to nothing")
    val (second, said) = first.says(attempt(9, TakenPart(0, 5)))
    assertEquals(said, RealTimeAnswer.GoesOn: RealTimeAnswer)
    assertEquals(answer(second.says(attempt(7, TakenPart(0, 21)))), RealTimeAnswer.RunsAgain: RealTimeAnswer)
    assertEquals(second.ended(attempt(7, TakenPart(0, 21))), second -> (RealTimeAnswer.RunsAgain: RealTimeAnswer))
    val (third, ended) = second.ended(attempt(9, TakenPart(0, 8)))
    assertEquals(ended, RealTimeAnswer.Ends: RealTimeAnswer)
    assertEquals(third.end.get(eu).map(_.next), Some(8L))
    assertEquals(third.fellBack, true)
  }

  test("how far it is comes from the furthest report, without an epoch that proves something else") {
    val now = batch.says(report(TakenPart(0, 8, time = Some(77))))._1.says(report(TakenPart(0, 6)))._1
    assertEquals(now.reached.get(eu), Some(PartitionOffset(0, 8, 0)))
    assertEquals(now.times, PartitionMap.from(Vector(eu -> 77L)))
  }

  test("it ends early for a change, for what must be recorded, for a failure, and for what can be read again") {
    val quiet   = Reconciled(begun, urgent = false, PartitionMap.empty, Vector.empty)
    val live    = quiet.copy(live = PartitionMap.from(Vector(eu -> 9L, id("eu", "new", 0) -> 9L)))
    val failure = Failure(Condition.ClusterUnreachable, say"gone")
    val sick    =
      batch.says(RealTimeReport(Vector.empty, Map(ClusterId("us") -> ReaderFailure("C", "why", asks = false))))._1

    def ends(
        of: RealTimeBatch = batch,
        looked: Either[Failure, Reconciled] = Right(quiet),
        changed: Boolean = false,
        missed: Set[ClusterId] = Set.empty,
        again: Boolean = true
    ) = EarlyEnd.why(of, looked, changed, missed, again).isDefined
    assertEquals(ends(), false)
    assertEquals(ends(changed = true), true)
    assertEquals(ends(looked = Right(quiet.copy(urgent = true))), true)
    assertEquals(ends(looked = Left(failure)), true)
    assertEquals(ends(looked = Right(live)), true)
    assertEquals(ends(looked = Right(live), again = false), false, "once a minute")
    assertEquals(ends(looked = Right(live), missed = Set(eu.cluster), again = false), true, "it was read until now")
    assertEquals(ends(of = sick), false, "it has not come back")
    assertEquals(ends(of = sick, looked = Right(quiet.copy(live = PartitionMap.from(Vector(us -> 9L))))), true)
  }

  test("partitions are shared out evenly, neighbours together, and without any one task waits") {
    val ranges = Vector.tabulate(10)(number => OffsetRange(id("eu", "orders", number), 0, 1, StreamId("s")))
    assertEquals(RealTimeTasks.of(ranges, 4).map(_.size), Vector(2, 3, 2, 3))
    assertEquals(RealTimeTasks.of(ranges, 4).flatten, ranges.indices.toVector)
    assertEquals(RealTimeTasks.of(ranges, 64).map(_.size), Vector.fill(10)(1))
    assertEquals(RealTimeTasks.of(Vector.empty, 4), Vector(Vector.empty[Int]))
  }
}
