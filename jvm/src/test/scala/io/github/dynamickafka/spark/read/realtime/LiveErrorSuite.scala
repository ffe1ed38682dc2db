package io.github.dynamickafka.spark.read.realtime

import java.time.{Clock, Duration}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import munit.FunSuite
import org.apache.kafka.clients.consumer.ConsumerRecords

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog, SourceAround}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerFactory, ConsumerKey, RecordSource}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.{ConsumerPool, ReadSettings, TaskEnvironment, TaskRanges}
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeLink, RealTimeReport}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** In Real-Time Mode a poll of one cluster ends with an error of Java, such as a native library for snappy that can't be
  * loaded, or memory that is used up. Kafka's consumer then stands behind the records of those partitions that it had
  * collected in this poll, and nobody gets these records from it.
  */
class LiveErrorSuite extends FunSuite {
  private val Whole = 10000L

  final private class Driver extends RealTimeLink {
    val heard = new AtomicReference(Vector.empty[RealTimeReport])

    override def says(report: RealTimeReport): RealTimeAnswer = {
      heard.updateAndGet(_ :+ report): Unit
      RealTimeAnswer.GoesOn
    }
    override def ends(report: RealTimeReport): RealTimeAnswer = {
      heard.updateAndGet(_ :+ report): Unit
      RealTimeAnswer.Ends
    }
    override def known(ranges: Vector[Int]): Map[Int, Long] = Map.empty
  }

  /** Its first poll moves its positions, and then ends with an error. */
  final private class Breaking(of: ConsumerFactory, error: () => Error) extends ConsumerFactory {
    private val broken = new AtomicBoolean(false)

    override def open(key: ConsumerKey): RecordSource = new SourceAround(of.open(key)) {
      override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
        val found = super.poll(timeout)
        if (broken.compareAndSet(false, true)) throw error()
        found
      }
    }
  }

  final private class Scene(error: () => Error) {
    val driver = new Driver

    private val kafka =
      new RecordedKafka(2).holds("eu", "orders", 0)(RecordedLog.of(0, 5)).holds("eu", "orders", 1)(RecordedLog.of(0, 5))
    private val pool     = new ConsumerPool(new Breaking(kafka, error), Clock.systemUTC, _ => ())
    private val settings =
      ReadSettings(Duration.ofSeconds(20), Duration.ofSeconds(60), 1L << 30, "prefix", failOnDataLoss = true, "")
    private val factory = new RealTimeReaderFactory(
      Map(ClusterId("eu") -> new ConnectionSettings(Map.empty)),
      Map(ClusterId("eu") -> "kafka-eu"),
      settings,
      RowSchema.all,
      driver
    )
    private val ranges = Array(0, 1).map(number =>
      OffsetRange(PartitionId(ClusterId("eu"), "orders", number), 0, Long.MaxValue, StreamId("s"))
    )

    /** The task of a batch that begins at offset 0. */
    def task: RealTimeTask = factory.reader(
      new TaskRanges(ranges, numbers = Array(0, 1)),
      TaskEnvironment(pool, () => false, Clock.systemUTC, () => System.nanoTime, Thread.sleep(_))
    )
  }

  private def using[A](task: RealTimeTask)(body: RealTimeTask => A): A =
    try body(task)
    finally task.close()

  // Partition and offset.
  private def row(task: RealTimeTask): (Int, Long) = task.current.getInt(3) -> task.current.getLong(4)

  private val errors = Seq[(String, () => Error)](
    "a class that can't be loaded" -> (() =>
      new NoClassDefFoundError("Could not initialize class org.xerial.snappy.Snappy")
    ),
    "memory that is used up" -> (() => new OutOfMemoryError("Java heap space"))
  )

  test("the driver hears that a cluster is read no more") {
    for ((what, error) <- errors) {
      val scene = new Scene(error)
      using(scene.task) { task =>
        assertEquals(task.next(600), false)
        assertEquals(scene.driver.heard.get.flatMap(_.failed.keySet).toSet, Set(ClusterId("eu")), what)
      }
    }
  }

  test("the next batch reads what a poll had collected that ended with an error") {
    for ((what, error) <- errors) {
      val scene = new Scene(error)
      // It takes nothing, so the next batch begins where this one began.
      using(scene.task)(task => assertEquals(task.next(600), false))
      using(scene.task) { task =>
        assert(task.next(Whole))
        val first = row(task)
        val found = first +: Iterator.continually(task.next(500)).takeWhile(identity).map(_ => row(task)).toVector
        assertEquals(found.sorted, Vector.tabulate(2, 5)((partition, at) => partition -> at.toLong).flatten, what)
      }
    }
  }
}
