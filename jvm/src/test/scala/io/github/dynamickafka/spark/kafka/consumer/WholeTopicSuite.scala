package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration

import munit.FunSuite
import org.apache.kafka.common.errors.{LeaderNotAvailableException, TopicAuthorizationException}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** All of a topic, once. */
class WholeTopicSuite extends FunSuite {
  private val logs = Map(
    0 -> RecordedLog.of(3, 8),
    // A gap at the end, as a marker of a transaction leaves one.
    1 -> RecordedLog(Extent(0, 30), Vector(4, 25)),
    2 -> RecordedLog.of(7, 7)
  )

  private def kafka = logs.foldLeft(new RecordedKafka()) { case (all, (number, log)) =>
    all.holds("eu", "checkpoints", number)(log)
  }

  // Each reading of the clock is a second later than the one before.
  private def read(kafka: RecordedKafka): Vector[(Int, Long)] = {
    var seconds = 0L
    val key     = ConsumerKey(ClusterId("eu"), new ConnectionSettings(Map.empty), "prefix")
    val clock   = () => { seconds += 1; Duration.ofSeconds(seconds).toNanos }
    new WholeTopic(key, kafka, Duration.ofSeconds(5), clock).fold(
      "checkpoints",
      logs.transform((_, log) => log.extent),
      Vector.empty[(Int, Long)]
    )((all, record) => all :+ (record.partition -> record.offset))
  }

  test("each record comes once, those of a partition in their order, over gaps, however many polls it takes") {
    val recorded = kafka
    val found    = read(recorded)
    assertEquals(found.filter(_._1 == 0).map(_._2), Vector[Long](3, 4, 5, 6, 7))
    assertEquals(found.filter(_._1 == 1).map(_._2), Vector[Long](4, 25))
    assertEquals(found.size, 7)
    assert(recorded.opened.forall(_.closed))
  }

  test("an election in between passes unnoticed") {
    val recorded = kafka.next("eu")(() => throw new LeaderNotAvailableException("soon"))
    assertEquals(read(recorded).size, 7)
  }

  test("a topic that holds nothing opens no consumer") {
    val recorded = new RecordedKafka()
    val key      = ConsumerKey(ClusterId("eu"), new ConnectionSettings(Map.empty), "prefix")
    val empty    = new WholeTopic(key, recorded, Duration.ofSeconds(5), () => 0)
    assertEquals(empty.fold("checkpoints", Map(0 -> Extent(4, 4)), 1)((number, _) => number + 1), 1)
    assertEquals(recorded.opened.size, 0)
  }

  test("if nothing more comes, it ends after the limit, and a refusal is one") {
    val silent = kafka
    silent.silent += ClusterId("eu")
    val late = intercept[DynamicKafkaException](read(silent))
    assertEquals(late.condition, Condition.ClusterUnreachable: Condition)
    assert(late.detail.contains("nothing more of it came within 5s"), late.detail)
    assert(silent.opened.forall(_.closed))
    val refusing = kafka.next("eu")(() => throw new TopicAuthorizationException(java.util.Set.of("checkpoints")))
    assertEquals(intercept[DynamicKafkaException](read(refusing)).condition, Condition.NotAuthorized: Condition)
  }
}
