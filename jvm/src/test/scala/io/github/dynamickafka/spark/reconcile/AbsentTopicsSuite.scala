package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.Notice.MissingTopic

class AbsentTopicsSuite extends FunSuite {
  private val eu     = ClusterId("eu")
  private val orders = TopicOffset(None, StreamId("orders"), SortedMap(0 -> PartitionOffset(0, 5, 0)))
  private val held   = SourceOffset(SortedMap(eu -> ClusterOffset(None, SortedMap("orders" -> orders))))
  private val spread = Duration.ofSeconds(30)
  private val first  = Instant.parse("2030-01-01T00:00:00Z")

  private val absent = AbsentTopics.none.asked(held, Vector(MissingTopic(eu, "orders")), first)

  private def condition(of: AbsentTopics, now: Instant, fetched: Instant) =
    of.deleted(spread, now, fetched).map(_.condition)

  test("a topic once seen is deleted when asks over the whole time agree and a later fetch still lists it") {
    val still = absent.asked(held, Vector(MissingTopic(eu, "orders")), first.plusSeconds(20))
    assertEquals(condition(still, first.plusSeconds(29), first.plusSeconds(29)), None)
    assertEquals(condition(still, first.plusSeconds(31), first.plusSeconds(29)), None)
    assertEquals(condition(still, first.plusSeconds(32), first.plusSeconds(31)), Some(Condition.DataLoss))
  }

  test("one answer that has the topic begins the time anew") {
    val seen  = absent.asked(held, Vector.empty, first.plusSeconds(20))
    val again = seen.asked(held, Vector(MissingTopic(eu, "orders")), first.plusSeconds(25))
    assertEquals(condition(again, first.plusSeconds(40), first.plusSeconds(39)), None)
  }

  test("a topic that was never seen is waited for") {
    val unseen = AbsentTopics.none.asked(held, Vector(MissingTopic(eu, "refunds")), first)
    assertEquals(condition(unseen, first.plusSeconds(90), first.plusSeconds(80)), None)
  }
}
