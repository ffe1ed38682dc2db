package io.github.dynamickafka.spark.read

import munit.FunSuite

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** A leader proves that a log was cut at 8, below the end of the range. At that moment a broker that is behind gives the
  * consumer the id of an earlier topic of this name. With the next answer the consumer has the right id again.
  */
class CutBehindStaleIdSuite extends FunSuite {
  private val planned: OffsetRange =
    range("eu", "orders", 0)(0, 20).copy(epochs = RangeEpochs(Some(3), Some(3)), kafkaId = Some("T2"))

  private def read(stale: Boolean, lossFails: Boolean): Either[String, (Vector[Long], Long)] = {
    val kafka = new RecordedKafka(pollRecords = 4)
      .holds("eu", "orders", 0)(RecordedLog.of(0, 20, epoch = 3).cut(at = 8, epoch = 5, until = 25))
    kafka.topicIds("orders") = "T2"
    var once = stale
    kafka.agreementAsked = () => if (once) { once = false; kafka.topicIds("orders") = "T1" }
    kafka.next("eu")(Vector.fill(200)(() => kafka.topicIds("orders") = "T2"): _*)
    // The first position has no proof: as where the consumer was kept and did not seek.
    val reads = new ReaderFixture(kafka, failOnDataLoss = lossFails)
    try {
      val rows = reads.rows(planned.copy(epochs = RangeEpochs(None, Some(3)))).map(_.split(" ")(3).toLong)
      Right(rows -> reads.figures.lostRecords.value.longValue)
    } catch { case e: DynamicKafkaException => Left(e.condition.toString) }
  }

  for (stale <- Seq(false, true)) {
    test(s"loss is allowed, stale id: $stale") {
      assertEquals(read(stale, lossFails = false), Right((0L until 8L).toVector -> 12L))
    }
    test(s"loss fails, stale id: $stale") {
      assert(read(stale, lossFails = true).isLeft, read(stale, lossFails = true))
    }
  }
}
