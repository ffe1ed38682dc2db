package io.github.dynamickafka.spark.driver.trigger

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetJson, SparkOffsetText}
import io.github.dynamickafka.spark.plan.ReadLimits

/** A checkpoint of Spark's own source, continued while there is nothing to read. */
class AdoptedIdsSuite extends FunSuite with StepScenes {
  private val one = listed("kafka" -> topics("orders"))

  for {
    (what, topic, kafka, condition) <- Seq(
      ("a topic that was created again", "T2", "K1", Condition.TopicRecreated),
      ("another Kafka cluster", "T2", "K2", Condition.ClusterChanged)
    )
  } test(s"the first offset holds Kafka's ids, so that the next start notices $what") {
    val sparks   = SparkOffsetText.held("""{"orders":{"0":10}}""", ClusterId("kafka")).get
    val clusters = new ScriptedClusters
    clusters.now("kafka", answer("orders" -> has(0 -> 10).of("T1")).of("K1"))
    val first  = new OpenedDriver(fromEarliest, clusters, () => one)
    val logged =
      try OffsetJson.read(OffsetJson.write(first.driver.latest(sparks, ReadLimits.everything)))
      finally first.driver.close()
    clusters.now("kafka", answer("orders" -> has(0 -> 25).of(topic)).of(kafka))
    val second = new OpenedDriver(fromEarliest, clusters, () => one)
    try
      assertEquals(
        intercept[DynamicKafkaException](second.driver.latest(logged, ReadLimits.everything)).condition,
        condition
      )
    finally second.driver.close()
  }
}
