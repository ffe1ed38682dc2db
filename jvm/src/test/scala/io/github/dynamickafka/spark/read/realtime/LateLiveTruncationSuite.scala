package io.github.dynamickafka.spark.read.realtime

import java.time.Duration
import java.util.{Map => JMap}
import java.util.concurrent.atomic.AtomicBoolean

import munit.FunSuite
import org.apache.kafka.clients.consumer.{ConsumerRecords, LogTruncationException, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog, SourceAround}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, RecordSource}
import io.github.dynamickafka.spark.realtime.ReaderFailure

/** Kafka's consumer keeps a truncation that it has found until the next poll, which may be that of the next task:
  * `LateTruncationSuite`.
  */
class LateLiveTruncationSuite extends FunSuite with OneLiveTask {
  private def failures(of: TopicPartition, at: Long): Map[ClusterId, ReaderFailure] = {
    val late = new AtomicBoolean(true)
    class Late(source: RecordSource) extends SourceAround(source) {
      override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] =
        if (late.getAndSet(false))
          throw new LogTruncationException(JMap.of(of, Long.box(at)), JMap.of(of, new OffsetAndMetadata(at - 1)))
        else super.poll(timeout)
    }
    val kafka = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 4))
    val link  = new Driver
    val batch = task(pool((key: ConsumerKey) => new Late(kafka.open(key))), link, from = 2)
    try {
      assertEquals(batch.next(if (at == 2) 1000 else 10000), at != 2)
      link.failed.get
    } finally batch.close()
  }

  test("a truncation that is late, of another position or partition, does not end the reading of the cluster") {
    for ((topic, at) <- Seq("orders" -> 9L, "refunds" -> 9L))
      assertEquals(failures(new TopicPartition(topic, 0), at), Map.empty[ClusterId, ReaderFailure])
  }

  test("control: one of where it stands does") {
    assertEquals(failures(new TopicPartition("orders", 0), 2).keySet, Set(eu))
  }
}
