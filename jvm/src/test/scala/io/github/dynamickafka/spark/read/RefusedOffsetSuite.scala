package io.github.dynamickafka.spark.read

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.plan.RangeEpochs
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** Kafka refuses an offset because it lies beyond the end of the log, as one leader knows it. */
class RefusedOffsetSuite extends munit.FunSuite {
  private val beyond = range("eu", "orders", 0)(6, 10)

  private def lost(reads: ReaderFixture): Long = reads.figures.lostRecords.value.longValue

  test("without leader epochs it is loss once the read timeout is over: a leader that was replaced may have said so") {
    for (isolation <- Vector("read_uncommitted", "read_committed"); failOnDataLoss <- Vector(true, false)) {
      def short = new ReaderFixture(
        new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 4)),
        failOnDataLoss,
        more = Map("isolation.level" -> isolation)
      )
      val behind = short
      behind.kafka.next("eu")(
        Vector.fill(5)(() => ()) :+ (() => behind.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 10)): Unit): _*
      )
      assertEquals((behind.rows(beyond).map(_.split(" ")(3)), lost(behind)), (Vector("6", "7", "8", "9"), 0L))
      val stays = short
      if (failOnDataLoss) assertEquals(stays.failure(stays.rows(beyond))._1, Condition.DataLoss: Condition)
      else assertEquals((stays.rows(beyond), lost(stays)), (Vector.empty[String], 4L))
      assert(stays.elapsed.toSeconds >= 120, stays.elapsed)
    }
  }

  test("where leaders say that the log was cut it is loss within seconds") {
    val log = RecordedLog.of(0, 10, epoch = 3).cut(at = 4, epoch = 5, until = 5)
    for (epochs <- Vector(RangeEpochs(Some(3), Some(3)), RangeEpochs(None, Some(3)))) {
      val passes =
        new ReaderFixture(new RecordedKafka().holds("eu", "orders", 0)(log), failOnDataLoss = false)
      assertEquals((passes.rows(beyond.copy(epochs = epochs)), lost(passes)), (Vector.empty[String], 4L))
      assert(passes.elapsed.toSeconds < 60, passes.elapsed)
    }
  }
}
