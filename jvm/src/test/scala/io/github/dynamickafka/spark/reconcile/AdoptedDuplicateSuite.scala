package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, SourceOffset, TopicOffset}

/** Positions that were taken over from Spark's own source have no ids of Kafka's yet. */
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
      val seen = Query(fromEarliest, held("eu", "us")).sees(listed("eu" -> orders, "us" -> orders))(
        "eu" -> k(topicId, 20),
        "us" -> k(topicId, 20)
      )
      assertEquals(seen.ranges, Vector("eu orders 0 10-20"))
    }

    for (id <- Seq("eu", "zz"))
      test(s"$id is down while another id of its Kafka cluster begins, on brokers $brokers") {
        val two   = listed(id -> orders, "x" -> orders)
        val first = Query(skipping, held(id)).sees(two)("x" -> k(topicId, 12)).read
        val seen  = first.sees(two)(id -> k(topicId, 20), "x" -> k(topicId, 20))
        assertEquals(seen.ranges, Vector("x orders 0 12-20"))
      }
  }
}
