package io.github.dynamickafka.spark.read

import java.time.{Duration, Instant}
import java.util.{Collection => JCollection}

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.kafka.clients.consumer.ConsumerRecords
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.deferral._
import io.github.dynamickafka.spark.fakes.{ManualClock, RecordedKafka, RecordedLog, SourceAround}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerFactory, ConsumerKey, RecordSource}
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A healthy cluster that is far away: on an executor a consumer gets its first answer so long after it was opened (name
  * service, TLS, a login). Under `unreadableRangePolicy=defer` a range may stand still for ten seconds.
  */
class SlowToConnectSuite extends FunSuite {
  private val eu = ClusterId("eu")

  private class Scene(connects: Duration, limit: Duration) {
    private var time = 0L

    private val kafka = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 4))

    private object Slow extends ConsumerFactory {
      override def open(key: ConsumerKey): RecordSource = {
        val source             = kafka.open(key)
        val opened             = time
        def connected: Boolean = time - opened >= connects.toNanos
        new SourceAround(source) {
          override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] =
            if (connected) super.poll(timeout) else ConsumerRecords.empty()
          override def extents(of: JCollection[TopicPartition], timeout: Duration): Map[TopicPartition, Extent] = {
            time += timeout.toNanos
            throw new TimeoutException("not connected yet")
          }
          override def kafkaId: Option[String]       = super.kafkaId.filter(_ => connected)
          override def knows(topic: String): Boolean = connected
        }
      }
    }

    private val clock = new ManualClock(Instant.ofEpochMilli(1000))
    private val pool  = new ConsumerPool(Slow, clock, _ => ())

    /** What one batch reads, as the driver decides it. */
    def batch(): Vector[Long] = {
      var ends = BatchEnds(Vector(PlannedRange(eu, 4)))
      val link = new DriverLink {
        override def defers: Boolean                            = true
        override def known(ranges: Vector[Int]): Map[Int, Long] = Map.empty
        override def ask(report: TaskReport): Verdict           = {
          val answer = ends.answer(report, time / 1000000, BatchEnds.Limits(limit.toMillis, 1000, 120000), _ => true)
          ends = answer.next
          answer.verdict
        }
      }
      val reader = new RangeReaderFactory(
        Map(eu -> new ConnectionSettings(Map.empty)),
        Map.empty,
        ReadSettings(Duration.ofSeconds(120), Duration.ofSeconds(60), 1L << 30, "p", true, "", Some(Long.MaxValue)),
        RowSchema.all,
        new ReadFigures(new LargestValue(new CollectionAccumulator), new LongAccumulator, None),
        Some(link)
      ).reader(
        new TaskRanges(Array(ReaderFixture.range("eu", "orders", 0)(0, 4)), numbers = Array(0)),
        TaskEnvironment(pool, () => false, clock, () => { time += 5000000L; time }, millis => time += millis * 1000000)
      )
      try
        Iterator.continually(reader).takeWhile(_.next()).flatMap(_.get().rowIterator.asScala.map(_.getLong(4))).toVector
      finally reader.close()
    }
  }

  for ((limit, millis) <- Seq(10 -> 3500, 10 -> 7000, 10 -> 9000, 5 -> 3500))
    test(s"it is read in the second batch at the latest: limit $limit s, $millis ms for a first answer") {
      val scene   = new Scene(Duration.ofMillis(millis.toLong), Duration.ofSeconds(limit.toLong))
      val batches = Vector.fill(2)(scene.batch())
      assert(batches.contains(Vector(0L, 1L, 2L, 3L)), batches)
    }
}
