package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, ExecutorFailures}
import io.github.dynamickafka.spark.reconcile.observed.ExecutorFailures.PartRead

/** What the executors can't read of a cluster that answers the driver. */
class ExecutorFailuresSuite extends FunSuite {
  private val us              = ClusterId("us")
  private val first           = Duration.ofSeconds(10)
  private val a               = PartitionId(us, "orders", 0)
  private val b               = PartitionId(us, "orders", 1)
  private val both            = answer("orders" -> has(0 -> 10, 0 -> 10))
  private val seen            = Map[ClusterId, ClusterObservation](us -> both)
  private def at(second: Int) = begin.plusSeconds(second.toLong)

  private def read(id: PartitionId) = PartRead(id, tookAny = true, back = false)
  private def back(id: PartitionId) = PartRead(id, tookAny = false, back = true)
  private def some(id: PartitionId) = PartRead(id, tookAny = true, back = true)

  private def after(batches: (Int, Seq[PartRead])*): ExecutorFailures =
    batches.foldLeft(ExecutorFailures.none) { case (all, (second, batch)) =>
      all.after(batch.toVector, Map.empty, first, at(second))
    }

  /** The partitions of which nothing is planned. */
  private def barred(known: ExecutorFailures, second: Int): Seq[Int] = {
    val obstacle = known.in(seen, at(second), tries = false)(us).topic("orders").get.obstacle
    Seq(0, 1).filter(obstacle.forbids)
  }

  test("if a batch got nothing of the cluster, none of it is read for the pause; then all of it is") {
    val known = after(0 -> Seq(back(a)))
    assertEquals(Seq(0, 9, 10).map(barred(known, _)), Seq(Seq(0, 1), Seq(0, 1), Nil))
  }

  test("what is read while another part waits ends no pause, and each try that fails doubles it") {
    val known = after(0 -> Seq(back(a), read(b)), 5 -> Seq(read(b)))
    assertEquals(Seq(5, 9, 10).map(barred(known, _)), Seq(Seq(0), Seq(0), Nil))
    val again = known.after(Vector(back(a), read(b)), Map.empty, first, at(12))
    assertEquals(Seq(31, 32).map(barred(again, _)), Seq(Seq(0), Nil))
    assertEquals(again.after(Vector(read(a)), Map.empty, first, at(40)), ExecutorFailures.none)
  }

  test("a part that is tried alone, and still can't be read, holds up nothing that could be read") {
    val known = after(0 -> Seq(back(a), read(b)), 12 -> Seq(back(a)))
    assertEquals(Seq(12, 31, 32).map(barred(known, _)), Seq(Seq(0), Seq(0), Nil))
  }

  test("if nothing comes any more of what could be read, nothing else of the cluster is tried either") {
    val known = after(0 -> Seq(back(a), read(b)), 12 -> Seq(back(a), back(b)))
    val other = PartitionId(us, "refunds", 0)
    val said  = known.in(Map(us -> answer("refunds" -> has(0 -> 10))), at(12), tries = false)(us).topic("refunds").get
    assert(said.obstacle.forbids(other.partition))
  }

  test("what waits only because nothing came of the rest of its cluster has not failed") {
    val said = after(0 -> Seq(back(a))).in(seen, at(5), tries = false)(us).topic("orders").get.obstacle
    assertEquals(Seq(0, 1).map(said.forbids), Seq(true, true))
    assertEquals(Seq(0, 1).map(said.failed), Seq(true, false))
  }

  test("a part that gives some records each time is tried after the first pause each time") {
    val known = after(0 -> Seq(some(a)), 12 -> Seq(some(a)))
    assertEquals(Seq(21, 22).map(barred(known, _)), Seq(Seq(0), Nil))
  }

  test("one more part that goes back waits with those that do") {
    val known = after(0 -> Seq(back(a), read(b)), 5 -> Seq(back(b)))
    assertEquals(Seq(9, 10).map(barred(known, _)), Seq(Seq(0, 1), Nil))
  }

  test("a clock that is set back makes no pause longer") {
    assertEquals(barred(after(0 -> Seq(back(a))), -1), Nil)
  }

  test("it is forgotten where the driver does not reach the cluster either, and where the query needs the cluster") {
    val known = after(0 -> Seq(back(a)))
    assertEquals(known.among(seen, Map.empty, _ => false), known)
    assertEquals(known.among(Map(us -> down), Map.empty, _ => false), ExecutorFailures.none)
    assertEquals(known.among(seen, Map.empty, _ => true), ExecutorFailures.none)
  }

  test("a try takes nothing away from what else stands in the way") {
    val unled = Map[ClusterId, ClusterObservation](us -> answer("orders" -> has(0 -> 10).leaderless(1)))
    val said  = after(0 -> Seq(back(a), back(b))).in(unled, at(60), tries = false)(us).topic("orders").get.obstacle
    assertEquals(Seq(0, 1).map(said.forbids), Seq(false, true))
    assertEquals(Seq(0, 1).map(said.failed), Seq(true, true))
  }
}
