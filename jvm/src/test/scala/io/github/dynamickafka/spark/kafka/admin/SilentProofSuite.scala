package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.concurrent.TimeUnit

import munit.FunSuite
import org.apache.kafka.clients.admin.Admin
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{LogProofs, StrictConsumer}
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** What becomes of a drain of three partitions whose leaders have changed, if the consumer that asks for proofs throws
  * because one of these leaders is silent. `SilentLeaderProofSuite` shows that Kafka's consumer does.
  */
class SilentProofSuite extends FunSuite {
  private val eu = ClusterId("eu")

  private def led(epoch: Int, ends: Int*): ClusterObservation.Answered = answer(
    "orders" -> Present(
      Some("T1"),
      ends.zipWithIndex.map { case (end, n) =>
        n -> Extent(0, end.toLong, end.toLong, Some(epoch))
      }.toMap
    )
  ).of("K1")

  test("one silent leader gives up no drain of the partitions whose leaders answer") {
    val begun = Query(skipping).sees(listed("eu" -> topics("orders")))("eu" -> led(3, 10, 10, 10)).read
    // A file does not list the cluster any more: it counts as inactive. A broker has failed, so leaders are others.
    val query = begun.copy(inactive = Set(eu))
    val now   = led(4, 30, 30, 30)
    val asked = (0 to 2).map(n => Question(partition("eu", "orders", n), LogAgreement(10, 3, 4))).toSet

    val limit = Duration.ofSeconds(10)
    val admin = new ClusterAdmin(
      eu,
      new ConnectionSettings(Map.empty),
      (_, _) => null: Admin,
      new LogProofs(_ => new StrictConsumer(new TopicPartition("orders", 2)).source, limit, task => task.run()),
      limit,
      task => task.run()
    )
    val answers = admin.resolve(asked).get(20, TimeUnit.SECONDS)
    // As `ClusterAsks.send`: if the points can't be asked for, the whole cluster has failed.
    val seen = answers.fold(
      failed => query.sees(Topology.empty)("eu" -> failed),
      found => query.sees(Topology.empty, { case q if found.contains(q) => found(q) })("eu" -> now)
    )
    // What the same step does if the silent leader alone stays undecided.
    val meant =
      query.sees(Topology.empty, { case Question(id, LogAgreement(at, _, 4)) if id.partition < 2 => Some(at) })(
        "eu" -> now
      )
    assertEquals(meant.ranges, Vector("eu orders 0 10-30", "eu orders 1 10-30"))
    assertEquals(seen.notices.map(_.warning.toString), meant.notices.map(_.warning.toString))
    assertEquals(seen.ranges, meant.ranges)
  }
}
