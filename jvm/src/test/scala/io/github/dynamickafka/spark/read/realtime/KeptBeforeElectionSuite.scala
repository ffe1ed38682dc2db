package io.github.dynamickafka.spark.read.realtime

import java.time.Duration
import java.util.concurrent.atomic.AtomicBoolean

import scala.collection.immutable.SortedMap

import munit.FunSuite
import org.apache.kafka.clients.consumer.ConsumerRecords
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.WakeupException

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog, SourceAround}
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, RecordSource}
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** In Real-Time Mode a fetch is always under way. Its answer comes when the task has ended. Then an unclean leader is elected, and
  * the driver proves, before the next batch, that the log holds all before the position, under the new epoch.
  */
class KeptBeforeElectionSuite extends FunSuite with OneLiveTask {
  private val arrives = new AtomicBoolean(false)

  /** What is fetched ahead is there once the first task has ended. */
  private class Ahead(source: RecordSource) extends SourceAround(source) {
    private var ahead = Option.empty[ConsumerRecords[Array[Byte], Array[Byte]]]
    private var polls = 0
    private val woken = new AtomicBoolean(false)

    override def seek(partition: TopicPartition, offset: Long, epoch: Option[Int]): Unit = {
      ahead = None
      super.seek(partition, offset, epoch)
    }
    override def wakeup(): Unit = woken.set(true)

    override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
      polls += 1
      if (polls == 1) {
        val found = super.poll(timeout)
        if (!arrives.get) ahead = Some(super.poll(timeout))
        found
      } else if (!arrives.get) {
        val end = System.nanoTime + timeout.toNanos
        while (!woken.get && System.nanoTime < end) Thread.sleep(5)
        if (woken.getAndSet(false)) throw new WakeupException
        ConsumerRecords.empty()
      } else {
        val found = ahead.getOrElse(super.poll(timeout))
        ahead = None
        found
      }
    }
  }

  test("what a kept consumer fetched before the election is not read in place of what the log has now") {
    val kafka  = new RecordedKafka(2).holds("eu", "orders", 0)(RecordedLog.of(0, 10, epoch = 3))
    val shared = pool((key: ConsumerKey) => new Ahead(kafka.open(key)))

    val first = task(shared, new Driver, epoch = Some(3))
    try {
      assert(first.next(10000) && first.next(10000))
      assertEquals(first.current.getLong(4), 1L)
      assertEquals(first.next(300), false)
    } finally first.close()

    // The log was cut at 2, and has other records from there on, at the offsets 4 and 6.
    kafka.holds("eu", "orders", 0)(
      RecordedLog(Extent(0, 10, 10, Some(6)), Vector(0, 1, 4, 6), SortedMap(3 -> 0L, 6 -> 2L))
    )
    arrives.set(true)
    val second = task(shared, new Driver, from = 2, epoch = Some(6))
    try {
      val rows = Vector.fill(2)(if (second.next(3000)) second.current.getLong(4) else -1L)
      assertEquals(rows, Vector(4L, 6L))
    } finally second.close()
  }
}
