package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.{Collection => JCollection, Map => JMap}
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.kafka.clients.admin.Admin
import org.apache.kafka.clients.consumer.{CloseOptions, MockConsumer}
import org.apache.kafka.common.{ClusterResource, TopicPartition}
import org.apache.kafka.common.errors.TimeoutException

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{KafkaRecordSource, LogProofs, ValueBytes}
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A healthy cluster that is far away has elected a leader. A new consumer connects, logs in, fetches metadata, connects to the
  * leader and has its answer after 3/20 of `clusterRequestTimeout`: 1.5 s of 10 s, which are 14 round trips of 107 ms (SASL_SSL).
  */
class FarFirstAnswerSuite extends FunSuite {
  private val eu    = ClusterId("eu")
  private val limit = Duration.ofSeconds(8)

  /** It has the cluster's metadata after 1/20, and a connection to the leader after 3/20. */
  private class Far(values: ValueBytes) extends MockConsumer[Array[Byte], Array[Byte]]("none") {
    private val opened = System.nanoTime
    private val ready  = opened + limit.toNanos * 3 / 20

    override def close(options: CloseOptions): Unit = ()

    override def endOffsets(
        of: JCollection[TopicPartition],
        timeout: Duration
    ): JMap[TopicPartition, java.lang.Long] = {
      val left = Math.max(ready - System.nanoTime, TimeUnit.MILLISECONDS.toNanos(107))
      TimeUnit.NANOSECONDS.sleep(Math.min(left, timeout.toNanos))
      if (System.nanoTime - opened > limit.toNanos / 20) values.onUpdate(new ClusterResource("K1"))
      if (left > timeout.toNanos) throw new TimeoutException("the answer is on its way")
      of.asScala.map(_ -> java.lang.Long.valueOf(50)).toMap.asJava
    }
    override def position(partition: TopicPartition, timeout: Duration): Long = super.position(partition)
  }

  private def far: KafkaRecordSource = {
    val values = new ValueBytes
    new KafkaRecordSource(new Far(values), values, None)
  }

  private def led(epoch: Int, ends: Int*): ClusterObservation.Answered = answer(
    "orders" -> Present(
      Some("T1"),
      ends.zipWithIndex.map { case (end, n) => n -> Extent(0, end.toLong, end.toLong, Some(epoch)) }.toMap
    )
  ).of("K1")

  for (partitions <- Seq(1, 2)) test(s"it is read on, and the query does not fail; partitions: $partitions") {
    val listing = listed("eu" -> topics("orders"))
    val begun   = Query(fromEarliest).sees(listing)("eu" -> led(3, Vector.fill(partitions)(10): _*)).read
    val now     = led(4, Vector.fill(partitions)(30): _*)
    val asked   = (0 until partitions).map(n => Question(partition("eu", "orders", n), LogAgreement(10, 3, 4))).toSet
    // The first ask, and the next one: each has a consumer of its own.
    val read = (1 to 2).foldLeft(begun) { (query, _) =>
      val admin = new ClusterAdmin(
        eu,
        new ConnectionSettings(Map.empty),
        (_, _) => null: Admin,
        new LogProofs(_ => far, limit, task => task.run()),
        limit,
        task => task.run()
      )
      val found = admin.resolve(asked).get(20, TimeUnit.SECONDS).fold(failed => fail(failed.toString), identity)
      query.sees(listing, { case q if found.contains(q) => found(q) })("eu" -> now).read
    }
    assertEquals(ranges(begun.held, read.held), (0 until partitions).map(n => s"eu orders $n 10-30").toVector)
  }
}
