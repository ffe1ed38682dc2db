package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp

/** A partition that nobody led at first contact must be read, though its cluster has ending offsets. */
class UnledAtFirstSuite extends FunSuite with MovingLog {
  private def one(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*).of("T1")).of("K1")

  private def ends(text: String) = topics("orders").endingAt(text)

  test("a cluster with a partition that nobody led at first contact is not over") {
    for (text <- Seq("""{"timestamp": 900}""", "latest")) {
      val resolve: Resolve = { case Question(id, Timestamp(900)) => Some(if (id.partition == 0) 5L else 4L) }
      val topo             = listed("eu" -> ends(text))
      val first            = "eu" -> answer("orders" -> has(0 -> 5).of("T1").leaderless(1)).of("K1")
      val begun            = Query(skipping).sees(topo, resolve)(first).read
      assert(new OffsetQuestions(StepBasis(begun.held, topo), skipping).topics.contains(ClusterId("eu")), text)
      assertEquals(begun.sees(topo, resolve)(one(0 -> 5, 0 -> 4)).ranges, Vector("eu orders 1 0-4"))
    }
  }

  private val ended = listed("eu" -> ends("""{"orders":"latest"}"""))
  private val unled = "eu" -> answer("orders" -> has(0 -> 10).of("T1").leaderless(1)).of("K1")
  private val begun = Query(skipping).sees(ended)(unled).read

  test("it is reported, and fails the query under `fail`, though all others are read to their ends") {
    val held = begun.sees(ended)(unled).step.skipped
    assertEquals(held.flatMap(_.topics("orders").partitions.keys), Vector(1))
    val needed = begun.under(_ => fromEarliest).sees(ended)(unled)
    assertEquals(needed.failure.condition, Condition.ClusterUnreachable)
  }

  test("a topic that is deleted before it could be read is loss, though all others are read to their ends") {
    val gone = "eu" -> answer("orders" -> absent).of("K1")
    val seen = begun.sees(ended)(gone).read.after(policy.agreement).sees(ended)(gone)
    assertEquals(seen.failure.condition, Condition.DataLoss)
  }
}
