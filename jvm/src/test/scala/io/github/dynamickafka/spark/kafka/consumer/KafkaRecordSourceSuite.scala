package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration
import java.util.{Collection => JCollection, List => JList, Map => JMap}
import java.util.concurrent.TimeUnit

import scala.util.Using

import munit.FunSuite
import org.apache.kafka.clients.consumer.{LogTruncationException, MockConsumer, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What Kafka's consumer leaves unsaid is never taken for an answer. Answers of real brokers are left to the scenarios. */
class KafkaRecordSourceSuite extends FunSuite {
  private val zero  = new TopicPartition("orders", 0)
  private val other = new TopicPartition("bills", 0)

  /** Kafka's own consumer, which reaches no broker. */
  private def unreachable[A](use: RecordSource => A): A = {
    val connection = new ConnectionSettings(Map("bootstrap.servers" -> "localhost:1"))
    Using.resource(KafkaConsumers.open(ConsumerKey(ClusterId("eu"), connection, "test"))) { source =>
      source.assign(JList.of(zero))
      use(source)
    }
  }

  private class Mock extends MockConsumer[Array[Byte], Array[Byte]]("none") {
    // As Kafka's consumer does: without a millisecond, it neither asks nor fails.
    override def endOffsets(of: JCollection[TopicPartition], timeout: Duration): JMap[TopicPartition, java.lang.Long] =
      if (timeout.toMillis == 0) JMap.of() else super.endOffsets(of, timeout)
  }

  private def source(mock: Mock): KafkaRecordSource = {
    mock.assign(JList.of(zero))
    mock.updateBeginningOffsets(JMap.of(zero, 5L))
    mock.updateEndOffsets(JMap.of(zero, 50L))
    new KafkaRecordSource(mock, new ValueBytes, None)
  }

  test("a question without the time to ask it has no answer") {
    for (time <- Vector(Duration.ZERO, Duration.ofNanos(999999))) unreachable { source =>
      intercept[TimeoutException](source.extents(JList.of(zero), time))
      assertEquals(source.agreement(Map(zero -> EpochPosition(10, 3)), time), Map.empty[TopicPartition, Option[Long]])
    }
  }

  test("where a log ends is not known if the question where it begins took all the time") {
    val slow = new Mock {
      override def beginningOffsets(of: JCollection[TopicPartition], timeout: Duration)
          : JMap[TopicPartition, java.lang.Long] = {
        TimeUnit.MILLISECONDS.sleep(timeout.toMillis + 1)
        super.beginningOffsets(of, timeout)
      }
    }
    intercept[TimeoutException](source(slow).extents(JList.of(zero), Duration.ofMillis(20)))
  }

  test("a leader that does not answer hides no answer of another one") {
    val mock = new Mock {
      override def endOffsets(
          of: JCollection[TopicPartition],
          timeout: Duration
      ): JMap[TopicPartition, java.lang.Long] =
        if (of.contains(other)) throw new TimeoutException("no answer") else super.endOffsets(of, timeout)
    }
    val asked = source(mock)
    mock.assign(JList.of(zero, other))
    val found = asked.agreement(Map(other -> EpochPosition(3, 1), zero -> EpochPosition(10, 3)), Duration.ofSeconds(5))
    assertEquals(found, Map(zero -> Option(10L)))
  }

  for ((what, partition) <- Seq("a partition that is not assigned any more" -> other, "another position" -> zero))
    test(s"a truncation that is reported late, of $what, hides no answer") {
      var late =
        Option(new LogTruncationException(JMap.of(partition, 20L), JMap.of(partition, new OffsetAndMetadata(15))))
      val mock = new Mock {
        override def position(partition: TopicPartition, timeout: Duration): Long = {
          val thrown = late
          late = None
          thrown.foreach(throw _)
          super.position(partition, timeout)
        }
      }
      val found = source(mock).agreement(Map(zero -> EpochPosition(10, 3)), Duration.ofSeconds(5))
      assertEquals(found.get(zero), Some(Some(10L)))
    }
}
