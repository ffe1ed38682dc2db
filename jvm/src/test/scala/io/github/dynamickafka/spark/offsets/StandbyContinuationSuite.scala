package io.github.dynamickafka.spark.offsets

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.MovingLog
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** What `dynamic-kafka offsets` prints of a log whose earlier id stands by, once that id has missed a single answer. */
class StandbyContinuationSuite extends FunSuite with MovingLog {
  private val renamed = "new" -> answer("orders" -> has(0 -> 15, 0 -> 15).of("T1")).of("K1")

  /** What a new query reads first that begins as the command prints. */
  private def again(held: Query, answers: (String, ClusterObservation)*): Vector[String] = {
    val starting = Continuation.of(held.held).starting
    val next     = fromEarliest.copy(starting = OffsetRule(Some(OffsetPoint.Earliest), starting))
    Query(next).sees(both)(answers: _*).ranges
  }

  for (
    (what, reader, old) <- Seq(
      ("a mirror", mirror(15, 15), eu(15, 15)),
      ("a rename", renamed, "eu" -> renamed._2)
    ); (when, standby) <- Seq("control: that answers" -> old, "that is down once" -> ("eu" -> down))
  ) test(s"a new query goes on where $what was read to, with the old id as standby $when") {
    val moved15 = query.sees(moved)(reader).read
    val stands  = moved15.sees(both)(standby, reader).read
    val calm    = stands.sees(both)(old, reader).read
    assertEquals(positions(calm.held).map(_.takeWhile(_ != '[')), Vector("new orders 0 ", "new orders 1 "))
    assertEquals(
      Continuation.of(calm.held).starting.get(ClusterId("eu")).flatMap(_.point("orders", 0)),
      Some(OffsetPoint.Exact(15))
    )
    assertEquals(again(calm, old, reader), Vector.empty)
  }

  for ((when, first) <- Seq("control: that answers" -> eu(0), "that is down at first" -> ("eu" -> down)))
    test(s"the same of an earlier id that never read, $when") {
      // The new one is read first, then an earlier id is listed beside it.
      val read   = Query(skipping).sees(listed("new" -> next))(mirror(15)).read
      val beside = read.sees(both)(first, mirror(15)).read
      val calm   = beside.sees(both)(eu(15), mirror(15)).read
      assertEquals(again(calm, eu(15), mirror(15)), Vector.empty)
    }

  for ((when, first) <- Seq("control: that answers" -> eu(15), "that is down at first" -> ("eu" -> down)))
    test(s"no record is left out where newClusterOffsets is latest and the query lags, with an earlier id $when") {
      val late   = skipping.copy(newCluster = OffsetRule.everywhere(OffsetPoint.Latest))
      val read   = Query(late).sees(listed("new" -> next))(mirror(15)).readSome(_.transform((_, _) => 5L))
      val beside = read.sees(both)(first, mirror(15)).readSome(_.transform((_, _) => 6L))
      val calm   = beside.sees(both)(eu(15), mirror(15)).readSome(_.transform((_, _) => 7L))
      val next15 = fromEarliest.copy(starting =
        OffsetRule(Some(OffsetPoint.Earliest), Continuation.of(calm.held).starting)
      )
      // No record is later than the moment when the standby was first listed.
      val again = Query(next15).sees(both, { case _ => None })(eu(15), mirror(15))
      assertEquals(again.ranges, Vector("eu orders 0 7-15"))
    }
}
