package io.github.dynamickafka.spark.testing

import java.nio.file.Files
import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.spark.sql.{ForeachWriter, Row, SparkSession}
import org.apache.spark.sql.streaming.Trigger

import io.github.dynamickafka.spark.DynamicKafkaSource

/** Real-Time Mode as a Scala user has it, on real brokers. */
class RealTimeSuite extends FunSuite {
  override def munitTimeout = scala.concurrent.duration.Duration(5, "minutes")

  test("a stream that moves in the middle of a batch has each record once, within the batch") {
    val spark   = SparkSession.builder().master("local[2]").config("spark.ui.enabled", false).getOrCreate()
    val testbed = KafkaTestbed.start()
    try {
      testbed.createStream("live", "eu-1")
      testbed.write("live", "1", "2")
      val live  = DynamicKafkaSource.builder(spark).metadataService(testbed.service).streamIds("live")
      val rows  = live.startingOffsets("earliest").metadataDiscoveryInterval("1s").realTimeTasks(1).load()
      val query = rows
        .selectExpr("CAST(value AS STRING) AS id")
        .writeStream
        .outputMode("update")
        .option("checkpointLocation", Files.createTempDirectory("live").toString)
        .foreach(new RealTimeSuite.Kept)
        .trigger(Trigger.RealTime("5 minutes"))
        .start()

      // `EachOnce` waits for the end of a batch.
      def assertAllCame(): Unit = {
        val written = testbed.written("live").asScala.toVector
        Waiting.holds(Duration.ofMinutes(1), () => !query.isActive || RealTimeSuite.came.size >= written.size): Unit
        assertEquals(RealTimeSuite.came.asScala.toVector.sorted, written.sorted, query.exception)
      }

      assertAllCame()
      testbed.move("live", "eu-2")
      testbed.write("live", "3", "4")
      assertAllCame()
      query.stop()
    } finally {
      testbed.close()
      spark.stop()
    }
  }
}

object RealTimeSuite {
  val came = new ConcurrentLinkedQueue[String]

  /** Each row at once. */
  class Kept extends ForeachWriter[Row] {
    override def open(partition: Long, epoch: Long): Boolean = true
    override def process(row: Row): Unit                     = came.add(row.getString(0)): Unit
    override def close(failure: Throwable): Unit             = ()
  }
}
