package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart}
import io.github.dynamickafka.spark.reconcile.observed.LastKnown

/** A log that is cut off below what a batch has read of it, while the rest of that batch is deferred. Its brokers give
  * no leader epochs.
  */
class DeferredAndCutSuite extends FunSuite {
  private val eu = listed("eu" -> topics("orders"))

  private def ends(at: Int) = "eu" -> answer("orders" -> has(0 -> at).of("T1"))

  // The batch was to read up to 10, and has read up to 6.
  private val back = {
    val read = Query(fromEarliest).sees(eu)(ends(10)).read
    val rest = Deferred(PartitionMap.from(Vector(partition("eu", "orders", 0) -> DeferredPart(6, 10, 0))))
    read.copy(held = rest.rewind(read.held, (_, _) => false, begin)).under(_.copy(unavailable = skipping.unavailable))
  }

  test("it is held, and is loss once asks agree") {
    val short = back.sees(eu)().read.sees(eu)(ends(2)).read
    val later = short.after(policy.agreement).sees(eu)(ends(3))
    assertEquals(later.outcome.left.map(_.condition), Left(Condition.DataLoss))
  }

  test("it is not read on where it has grown again, before asks agree") {
    val short = back.sees(eu)().read.sees(eu)(ends(2)).read
    assertEquals(short.sees(eu)(ends(8)).ranges, Vector.empty)
  }

  for ((kind, condition) <- Seq("T1" -> Condition.DataLoss, "" -> Condition.TopicRecreated))
    test(s"also after a restart, it is held, and is loss once asks agree, as $condition") {
      def ends(at: Int) =
        "eu" -> answer("orders" -> (if (kind.isEmpty) has(0 -> at) else has(0 -> at).of(kind)))
      val held  = if (kind.isEmpty) withoutId(back) else back
      val short = held.copy(known = LastKnown.nothing, last = None).sees(eu)(ends(2)).read
      assertEquals(short.sees(eu)(ends(8)).ranges, Vector.empty)
      assertEquals(
        short.after(policy.agreement).sees(eu)(ends(3)).outcome.left.map(_.condition),
        Left(condition)
      )
    }

  private def withoutId(query: Query): Query = {
    val cluster = query.held.clusters(ClusterId("eu"))
    val topics  = cluster.topics.transform((_, topic) => topic.copy(kafkaId = None))
    query.copy(held =
      query.held.copy(clusters = query.held.clusters.updated(ClusterId("eu"), cluster.copy(topics = topics)))
    )
  }

  test("so is one that was seen to reach a start from which nothing was read yet") {
    val exact = fromEarliest.copy(starting = rule("""{"eu": {"orders": {"0": 5}}, "*": "earliest"}"""))
    val short = Query(exact).sees(eu)(ends(9)).readSome(_ => Map.empty).sees(eu)(ends(2)).read
    val later = short.after(policy.agreement).sees(eu)(ends(3))
    assertEquals(later.outcome.left.map(_.condition), Left(Condition.DataLoss))
  }

  test("one that is whole is read on") {
    assertEquals(back.sees(eu)(ends(12)).ranges, Vector("eu orders 0 6-12"))
  }
}
