package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** A partition that is added to a topic while a query reads it. All its records are new: what aged out of it before the
  * query saw it, since the query was stopped or the topic paused, is lost. Not here: how its start is found.
  */
class AddedPartitionSuite extends FunSuite {
  private val orders  = listed("eu" -> topics("orders"))
  private val allowed = fromEarliest.copy(failOnDataLoss = false)
  private val now     = "eu" -> answer("orders" -> has(0 -> 10, 5 -> 20).of("T1")).of("K1")

  private def begun(policy: ReconcilePolicy, topology: Topology = orders) =
    Query(policy).sees(topology)("eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1")).read
      .after(Duration.ofDays(10))

  private def lost(seen: Seen): Vector[(Int, Long)] =
    seen.notices.collect { case lost: Notice.Lost => lost.id.partition -> lost.records }

  test("records of an added partition that aged out before it was seen are a loss") {
    val seen = begun(fromEarliest).sees(orders)(now)
    assertEquals(seen.outcome.left.map(_.condition).swap.toOption, Some(Condition.DataLoss), seen.outcome.toString)
  }

  test("where loss is allowed they are counted once, and it is read from its earliest record") {
    val seen = begun(allowed).sees(orders)(now)
    assertEquals(lost(seen), Vector(1 -> 5L))
    assertEquals(seen.step.offset.get(partition("eu", "orders", 1)).map(at => (at.start, at.next)), Some((5L, 5L)))
    assertEquals(lost(seen.read.sees(orders)(now)), Vector.empty)
  }

  test("one that still has its first record loses nothing") {
    val whole = "eu" -> answer("orders" -> has(0 -> 10, 0 -> 20).of("T1")).of("K1")
    assertEquals(lost(begun(fromEarliest).sees(orders)(whole)), Vector.empty)
  }

  test("where the cluster's own offsets say that it begins at its earliest record, nothing is lost") {
    val named = listed("eu" -> topics("orders").startingAt("""{"orders":{"1":"earliest"}}"""))
    assertEquals(lost(begun(allowed, named).sees(named)(now)), Vector.empty)
  }

  test("of a new topic, or one without an id of Kafka's, it is not known what was written since it is read") {
    val more = listed("eu" -> topics("orders", "refunds"))
    val both = "eu" -> answer("orders" -> has(0 -> 10).of("T1"), "refunds" -> has(5 -> 20).of("T2")).of("K1")
    assertEquals(lost(begun(allowed).sees(more)(both)), Vector.empty)
    val none = "eu" -> answer("orders" -> has(0 -> 10, 5 -> 20)).of("K1")
    val old  = Query(allowed).sees(orders)("eu" -> answer("orders" -> has(0 -> 10)).of("K1")).read
    assertEquals(lost(old.sees(orders)(none)), Vector.empty)
  }

  test("they are a loss, too, while another partition of the topic could not be seen yet") {
    def kafka(extents: (Int, (Int, Int))*) =
      "eu" -> answer("orders" -> only(extents: _*).of("T1").leaderless(1)).of("K1")
    val unled = Query(skipping).sees(orders)(kafka(0 -> (0 -> 10))).read
    val seen  = unled.sees(orders)(kafka(0 -> (0 -> 10), 2 -> (5 -> 20)))
    assertEquals(seen.outcome.left.map(_.condition).swap.toOption, Some(Condition.DataLoss), seen.outcome.toString)
  }

  private val paused = listed("eu" -> topics("orders").paused)

  for (
    (what, lists, answered) <- Seq(
      ("its topic is paused", paused, answer("orders" -> has(0 -> 10, 0 -> 5).of("T1"))),
      ("nobody leads it", orders, answer("orders" -> has(0 -> 10).of("T1").leaderless(1)))
    )
  ) test(s"so they are where the partition appears while $what") {
    def seen(policy: ReconcilePolicy) = {
      val appears = begun(policy.copy(unavailable = skipping.unavailable)).sees(lists)("eu" -> answered.of("K1")).read
      appears.after(Duration.ofDays(10)).sees(orders)(now)
    }
    assertEquals(seen(fromEarliest).outcome.left.map(_.condition).swap.toOption, Some(Condition.DataLoss))
    assertEquals(lost(seen(allowed)), Vector(1 -> 5L))
  }

  test("so they are where the cluster continues an id that the query never knew") {
    val line = listed("eu" -> topics("orders").continuing("gone"))
    val seen = begun(fromEarliest, line).sees(line)(now)
    assertEquals(seen.outcome.left.map(_.condition).swap.toOption, Some(Condition.DataLoss), seen.outcome.toString)
  }

  test("nor of a topic that another id has handed over") {
    val next  = listed("new" -> topics("orders").continuing("eu"))
    val moved = "new" -> answer("orders" -> has(0 -> 10, 5 -> 20).of("T1")).of("K1")
    assertEquals(lost(begun(allowed).sees(next)(moved)), Vector.empty)
  }
}
