package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, SourceOffset, TopicOffset}

/** Positions that were taken over from Spark's own source have no ids of Kafka's yet. Two of them may be one Kafka cluster. */
class AdoptedDuplicateSuite extends FunSuite {
  private val orders  = topics("orders")
  private val adopted = ClusterOffset(
    None,
    SortedMap("orders" -> TopicOffset(None, StreamId("s"), SortedMap(0 -> PartitionOffset(10, 10, 0))))
  )
  private def held(ids: String*)                   = SourceOffset(ids.map(ClusterId(_) -> adopted).to(SortedMap))
  private def k(topicId: Option[String], end: Int) =
    answer("orders" -> has(0 -> end).copy(kafkaId = topicId)).of("K1")

  for (topicId <- Seq(None, Some("T1"))) {
    val brokers = topicId.fold("that give topics no ids")(_ => "that give topics ids")

    test(s"two ids that turn out to be one Kafka cluster are read once, on brokers $brokers") {
      val two  = listed("eu" -> orders, "us" -> orders)
      val once = Query(fromEarliest, held("eu", "us")).sees(two)("eu" -> k(topicId, 20), "us" -> k(topicId, 20))
      assertEquals(once.ranges, Vector("eu orders 0 10-20"))
      val seen = once.read.sees(two)("eu" -> k(topicId, 22), "us" -> k(topicId, 22))
      assertEquals(seen.ranges, Vector("eu orders 0 20-22"))
    }

    for (id <- Seq("eu", "zz"))
      test(s"$id is down while another id of its Kafka cluster begins, on brokers $brokers") {
        val two   = listed(id -> orders, "x" -> orders)
        val first = Query(skipping, held(id)).sees(two)("x" -> k(topicId, 12)).read
        val seen  = first.sees(two)(id -> k(topicId, 20), "x" -> k(topicId, 20))
        assertEquals(seen.ranges, Vector("x orders 0 12-20"))
        val third = seen.read.sees(two)(id -> k(topicId, 22), "x" -> k(topicId, 22))
        assertEquals(third.ranges, Vector("x orders 0 20-22"))
      }

    test(s"default policy: eu is inactive and down at first, on brokers $brokers") {
      val two   = listed("eu" -> orders.inactive, "x" -> orders)
      val first = Query(fromEarliest, held("eu")).sees(two)("x" -> k(topicId, 12)).read
      val back  = listed("eu" -> orders, "x" -> orders)
      val seen  = first.sees(back)("eu" -> k(topicId, 20), "x" -> k(topicId, 20))
      assertEquals(seen.ranges, Vector("x orders 0 12-20"))
      val third = seen.read.sees(back)("eu" -> k(topicId, 22), "x" -> k(topicId, 22))
      assertEquals(third.ranges, Vector("x orders 0 20-22"))
    }

    test(s"the first id is taken off in the next fetch, on brokers $brokers") {
      val two  = listed("eu" -> orders, "us" -> orders)
      val once = Query(fromEarliest, held("eu", "us")).sees(two)("eu" -> k(topicId, 20), "us" -> k(topicId, 20)).read
      val seen = once.sees(listed("us" -> orders))("eu" -> k(topicId, 20), "us" -> k(topicId, 20))
      assertEquals(seen.ranges, Vector.empty)
    }

    test(s"the line that the warning prints comes as the first id is taken off, on brokers $brokers") {
      val two  = listed("eu" -> orders, "us" -> orders)
      val once = Query(fromEarliest, held("eu", "us")).sees(two)("eu" -> k(topicId, 20), "us" -> k(topicId, 20)).read
      val seen = once.sees(listed("us" -> orders.continuing("eu")))("us" -> k(topicId, 22))
      assertEquals(seen.ranges, Vector("us orders 0 20-22"))
    }

    test(s"eu is down, then answers while it is paused, on brokers $brokers") {
      val two    = listed("eu" -> orders.paused, "x" -> orders)
      val first  = Query(skipping, held("eu")).sees(two)("x" -> k(topicId, 12)).read
      val second = first.sees(two)("eu" -> k(topicId, 20), "x" -> k(topicId, 20)).read
      val third  = second.sees(listed("eu" -> orders, "x" -> orders))("eu" -> k(topicId, 22), "x" -> k(topicId, 22))
      assertEquals(third.ranges, Vector("x orders 0 20-22"))
    }

    test(s"the duplicate is taken off, as the warning says, on brokers $brokers") {
      val two  = listed("eu" -> orders, "us" -> orders)
      val once = Query(fromEarliest, held("eu", "us")).sees(two)("eu" -> k(topicId, 20), "us" -> k(topicId, 20)).read
      val seen = once.sees(listed("eu" -> orders))("eu" -> k(topicId, 22), "us" -> k(topicId, 22))
      assertEquals(seen.ranges, Vector("eu orders 0 20-22"))
    }

    test(s"the second id is listed for its drain alone from the start, on brokers $brokers") {
      val list = listed("eu" -> orders, "us" -> topics())
      val seen = Query(fromEarliest, held("eu", "us")).sees(list)("eu" -> k(topicId, 20), "us" -> k(topicId, 20))
      assertEquals(seen.ranges, Vector("eu orders 0 10-20"))
    }
  }

  test("control: two ids of two Kafka clusters are both read") {
    val two  = listed("eu" -> orders, "us" -> orders)
    val k2   = answer("orders" -> has(0 -> 20).of("T2")).of("K2")
    val once = Query(fromEarliest, held("eu", "us")).sees(two)("eu" -> k(Some("T1"), 20), "us" -> k2)
    assertEquals(once.ranges, Vector("eu orders 0 10-20", "us orders 0 10-20"))
    assertEquals(once.read.held.clusters.values.flatMap(_.kafkaId).toVector, Vector("K1", "K2"))
  }

  test("a wrong address costs no position") {
    val two   = listed("eu" -> orders, "us" -> orders)
    val wrong =
      Query(fromEarliest, held("eu", "us")).sees(two)("eu" -> k(Some("T1"), 20), "us" -> k(Some("T1"), 20)).read
    val k2 = answer("orders" -> has(0 -> 30).of("T2")).of("K2")
    assertEquals(wrong.sees(two)("eu" -> k(Some("T1"), 20), "us" -> k2).ranges, Vector("us orders 0 10-30"))
  }

  private val eu      = listed("eu" -> topics("bills", "orders").pausing("bills"))
  private val twoHeld = SourceOffset(SortedMap(ClusterId("eu") -> adopted.copy(topics =
    SortedMap("bills" -> adopted.topics("orders"), "orders" -> adopted.topics("orders"))
  )))
  private def of(kafka: String, end: Int) = answer("orders" -> has(0 -> end), "bills" -> has(0 -> 10)).of(kafka)
  private val begun                       = Query(skipping, twoHeld).sees(eu)("eu" -> of("K1", 20)).read

  test("beside a paused topic, another Kafka cluster is noticed") {
    val seen = begun.under(_ => fromEarliest).sees(eu)("eu" -> of("K2", 30))
    assertEquals(seen.failure.condition, Condition.ClusterChanged)
  }

  test("beside a paused topic, another id of the same Kafka cluster is a duplicate") {
    val two = listed("eu" -> topics("bills", "orders").pausing("bills"), "x" -> orders)
    assertEquals(begun.sees(two)("x" -> of("K1", 22)).ranges, Vector.empty)
  }
}
