package io.github.dynamickafka.spark.driver.uncommitted

import munit.FunSuite

import io.github.dynamickafka.spark.driver.memory.DriverState
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** An uncommitted batch is read from the clusters and topics on which it was planned, or not at all. */
class UncommittedBatchSuite extends FunSuite {
  private val both: Topology = listed("eu" -> topics("orders", "refunds"), "us" -> topics("orders"))

  private def eu(orders: String) =
    answer("orders" -> has(0 -> 10).of(orders), "refunds" -> has(0 -> 10).of("T2")).of("K1")

  private val us    = answer("orders" -> has(0 -> 10).of("T3")).of("K2")
  private val query = Query(fromEarliest).sees(both)("eu" -> eu("T1"), "us" -> us).read
  private val batch = OffsetRanges.between(Query().held, query.held)

  private def checked(failOnDataLoss: Boolean)(seen: (
      String,
      ClusterObservation
  )*): Either[Failure, UncommittedBatch] = {
    val answers = seen.map { case (id, a) => ClusterId(id) -> a }.toMap
    // What is missing may come again.
    val gone =
      UncommittedBatch.gone(batch.map(UncommittedBatch.topic).toSet, query.held, answers).filter(_._2.isDefined)
    UncommittedBatch.checked(batch, query.held, answers, gone, _ => true, failOnDataLoss, " Defer it.")
  }

  test("what it asks is its own clusters and topics") {
    assertEquals(
      UncommittedBatch.topics(batch),
      Map(ClusterId("eu") -> Set("orders", "refunds"), ClusterId("us") -> Set("orders"))
    )
  }

  test("where all is as it was, or does not answer, it is read whole") {
    for (other <- Seq(us, down, answer("orders" -> absent).of("K2"), answer("orders" -> has(0 -> 10))))
      assertEquals(
        checked(failOnDataLoss = true)("eu" -> eu("T1"), "us" -> other),
        Right(UncommittedBatch(batch, Vector.empty))
      )
  }

  test("another Kafka cluster behind an id fails it, whatever failOnDataLoss says, and the way out is reported") {
    for (strict <- Seq(true, false)) {
      val failure = checked(strict)("eu" -> eu("T1"), "us" -> us.of("K9")).left.toOption.get
      assertEquals(failure.condition, Condition.ClusterChanged)
      assert(failure.detail.contains("cluster us") && failure.detail.endsWith(". Defer it."), failure.detail)
    }
  }

  test("a topic that was created again fails it with the ranges that are lost, which are never deferred") {
    val failure = checked(failOnDataLoss = true)("eu" -> eu("T9"), "us" -> us).left.toOption.get
    assertEquals(failure.condition, Condition.TopicRecreated)
    val said = Seq("orders", "offsets=0 until 10", "failOnDataLoss")
    assert(said.forall(failure.detail.contains), failure.detail)
    assert(!Seq("refunds", "Defer it").exists(failure.detail.contains), failure.detail)
  }

  test("where loss is allowed, all but such a topic is read, and the loss counts once, however often it is planned") {
    val left = checked(failOnDataLoss = false)("eu" -> eu("T9"), "us" -> us).toOption.get
    assertEquals(left.ranges.map(r => s"${r.id.cluster} ${r.id.topic}"), Vector("eu refunds", "us orders"))
    assertEquals(DriverState().lost(left.lost).lost(left.lost).lostRecords, 10L)
  }
}
