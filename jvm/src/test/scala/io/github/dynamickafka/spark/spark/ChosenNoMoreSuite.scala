package io.github.dynamickafka.spark.spark

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** A query by the options of Spark's own source that subscribes to fewer topics at its next start. */
class ChosenNoMoreSuite extends FunSuite {
  private val kafka = ClusterId("kafka")
  private val both  = listed("kafka" -> topics("a", "b"))
  private val less  = listed("kafka" -> topics("a"))

  private def one(subscribe: String) = SourceOptionsParser
    .settings(Map("kafka.bootstrap.servers" -> "b:9092", "subscribe" -> subscribe), ReadKind.Streaming).oneCluster.get

  test("a partition that was subscribed to, and that nobody led, drains once it is led") {
    val first = Query(skipping).sees(both)(
      "kafka" -> answer("a" -> has(0 -> 10).of("TA"), "b" -> has(0 -> 10).of("TB").leaderless(1)).of("K")
    ).read
    assertEquals(positions(first.held), Vector("kafka a 0 [0,10,0]", "kafka b 0 [0,10,0]"))

    val checkpoint =
      new SparkCheckpoint(Some(kafka), new CheckpointFiles(Files.createTempDirectory("c").toString, new Configuration))
    checkpoint.begins(first.held): Unit
    val chosen = one("a")
    // As `TopicProbe` does.
    def seen(answer: Answered): Answered = answer.copy(topics = answer.topics.map {
      case (name, topic: Present) =>
        name -> chosen.partitions(name, checkpoint.partitions).fold(topic)(some => topic.only(some))
      case other => other
    })
    val led    = answer("a" -> has(0 -> 12).of("TA"), "b" -> has(0 -> 11, 0 -> 9).of("TB")).of("K")
    val second = first.sees(less)("kafka" -> seen(led))
    assertEquals(second.ranges, Vector("kafka a 0 10-12", "kafka b 0 10-11", "kafka b 1 0-9"), second.offset)
  }

}
