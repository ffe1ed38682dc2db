package io.github.dynamickafka.spark.read

import java.time.Duration

import scala.collection.immutable.SortedMap

import munit.FunSuite
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.read.ReaderFixture.range
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** As `EarlierLeaderSuite`. But the answer of broker 1 (epoch 3) waits in the consumer behind the records of another partition,
  * which fill whole polls (`max.poll.records`). Meanwhile the consumer's metadata learn of epoch 4, and its position is
  * validated: it lies before the cut. Then the consumer gives the answer out (`FetchCollector` compares only its offset).
  */
class EarlierLeaderBehindOtherSuite extends FunSuite {
  private val eu   = ClusterId("eu")
  private val zero = new TopicPartition("orders", 0)

  private val planned: OffsetRange = range("eu", "orders", 0)(6, 12).copy(epochs = RangeEpochs(Some(3), Some(4)))
  private val other: OffsetRange   = range("eu", "orders", 1)(0, 9).copy(epochs = RangeEpochs(Some(3), Some(3)))

  private val old = RecordedLog.of(0, 12, epoch = 3)
  private val now = RecordedLog(Extent(0, 12, 12, Some(4)), Vector(6, 7, 10, 11), SortedMap(3 -> 0L, 4 -> 8L))

  private def read(seenBefore: Boolean): Vector[Long] = {
    val kafka = new RecordedKafka(pollRecords = 9).holds("eu", "orders", 1)(RecordedLog.of(0, 9, epoch = 3))
    kafka.leaderEpochs(zero) = 3
    val seen: Vector[() => Unit] =
      if (seenBefore) Vector(() => kafka.holds("eu", "orders", 0)(old): Unit) else Vector.empty
    kafka.next("eu")(seen ++ Vector[() => Unit](
      () => kafka.logs -= (eu -> zero),
      () => {
        kafka.leaderEpochs(zero) = 4
        kafka.holds("eu", "orders", 0)(old): Unit
      },
      () => kafka.holds("eu", "orders", 0)(now): Unit
    ): _*)
    val reads = new ReaderFixture(kafka, failOnDataLoss = true, tick = Duration.ofMillis(1))
    reads.rows(planned, other).filter(_.startsWith("eu orders 0 ")).map(_.split(" ")(3).toLong)
  }

  test("control: an answer of broker 1 was dropped before") {
    assertEquals(read(seenBefore = true), Vector(6L, 7L, 10L, 11L))
  }

  test("its first answer comes once the consumer knows the later leader: none of it is given out") {
    assertEquals(read(seenBefore = false), Vector(6L, 7L, 10L, 11L))
  }
}
