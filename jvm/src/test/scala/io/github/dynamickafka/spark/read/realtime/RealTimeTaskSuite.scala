package io.github.dynamickafka.spark.read.realtime

import java.time.{Clock, Duration}
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import munit.FunSuite

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.{ConsumerPool, FetchBudget, ReadSettings, TaskEnvironment, TaskRanges}
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeLink, RealTimeReport}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** One task of a real-time batch, over clusters that are recorded. The driver's answers are a script. */
class RealTimeTaskSuite extends FunSuite {
  private val Whole    = 10000L
  private val clusters = Vector("eu", "us")

  /** A driver that lets the task go on, until a test says something else. */
  final private class Driver extends RealTimeLink {
    val ending = new AtomicReference[RealTimeAnswer](RealTimeAnswer.Ends)
    val says   = new AtomicReference[RealTimeAnswer](RealTimeAnswer.GoesOn)
    val ended  = new AtomicReference(Vector.empty[RealTimeReport])
    val said   = new AtomicReference(Vector.empty[RealTimeReport])
    var fixed  = Map.empty[Int, Long]
    // To all but the first question of an end.
    val next: RealTimeAnswer = RealTimeAnswer.Ends

    override def says(report: RealTimeReport): RealTimeAnswer = {
      said.updateAndGet(_ :+ report): Unit
      says.get
    }
    override def ends(report: RealTimeReport): RealTimeAnswer = {
      ended.updateAndGet(_ :+ report): Unit
      ending.getAndSet(next)
    }
    override def known(ranges: Vector[Int]): Map[Int, Long] = fixed
  }

  final private class Scene(from: Long = 0, until: Long = scala.Long.MaxValue, again: Boolean = false) {
    val kafka  = new RecordedKafka(2)
    val driver = new Driver
    clusters.foreach(kafka.holds(_, "orders", 0)(RecordedLog.of(0, 5, epoch = 3)))
    val pool             = new ConsumerPool(kafka, Clock.systemUTC, _ => ())
    private val settings =
      ReadSettings(Duration.ofSeconds(20), Duration.ofSeconds(60), 1L << 30, "prefix", failOnDataLoss = true, "")
    private val none    = new ConnectionSettings(Map.empty)
    private val factory = new RealTimeReaderFactory(
      clusters.map(id => ClusterId(id) -> none).toMap,
      Map(ClusterId("eu") -> "kafka-eu"),
      settings,
      RowSchema.all,
      driver
    )
    private val ranges =
      clusters.map(id => OffsetRange(PartitionId(ClusterId(id), "orders", 0), from, until, StreamId("s")))

    def task: RealTimeTask = factory.reader(
      new TaskRanges(ranges.toArray, numbers = Array(0, 1)),
      TaskEnvironment(pool, () => false, Clock.systemUTC, () => System.nanoTime, Thread.sleep(_), again)
    )
  }

  private def using[A](scene: Scene)(body: RealTimeTask => A): A = {
    val task = scene.task
    try body(task)
    finally task.close()
  }

  // Cluster and offset.
  private def row(task: RealTimeTask): String = s"${task.current.getUTF8String(8)}${task.current.getLong(4)}"

  private def rows(task: RealTimeTask, count: Int): Vector[String] =
    Vector.fill(count) {
      assert(task.next(Whole), "the task has ended")
      row(task)
    }

  private def offsets(report: RealTimeReport): Map[Int, Long] = report.parts.map(part => part.range -> part.next).toMap

  test("it takes what comes of all its clusters, each in order, and ends with it when its time is over") {
    val scene = new Scene()
    using(scene) { task =>
      val found = rows(task, 10)
      assertEquals(found.filter(_.startsWith("eu")), (0 until 5).map(at => s"eu$at").toVector)
      assertEquals(found.filter(_.startsWith("us")), (0 until 5).map(at => s"us$at").toVector)
      assertEquals(task.next(50), false)
      assertEquals(scene.driver.ended.get.map(offsets), Vector(Map(0 -> 5L, 1 -> 5L)))
      assertEquals(scene.driver.ended.get.head.parts.map(_.epoch), Vector(Some(3), Some(3)))
      task.end()
      assertEquals(scene.driver.ended.get.size, 1, "it has said so")
    }
  }

  test("a cluster that hangs delays none, and the driver's word ends the task within a second") {
    val scene = new Scene()
    val hangs = new CountDownLatch(1)
    scene.kafka.next("eu")(() => hangs.await(20, TimeUnit.SECONDS): Unit)
    try using(scene) { task =>
        val began = System.nanoTime
        assertEquals(rows(task, 5), (0 until 5).map(at => s"us$at").toVector)
        scene.driver.says.set(RealTimeAnswer.Ends)
        assertEquals(task.next(Whole), false)
        val took = Duration.ofNanos(System.nanoTime - began)
        assert(took.compareTo(Duration.ofSeconds(2)) < 0, took)
        assertEquals(offsets(scene.driver.ended.get.head), Map(0 -> 0L, 1 -> 5L))
      }
    finally hangs.countDown()
  }

  test("what it fetches counts while it runs, and what its consumers hold once it is closed") {
    val scene = new Scene()
    val MiB   = 1L << 20
    using(scene) { task =>
      rows(task, 10): Unit
      assertEquals(scene.pool.held, FetchBudget(taken = 4 * MiB))
      assertEquals(task.next(50), false)
    }
    assertEquals(scene.pool.held, FetchBudget(idle = 4 * MiB))
  }

  test("what was polled and not taken does not count") {
    val scene = new Scene()
    using(scene) { task =>
      val first = rows(task, 1).head
      scene.driver.says.set(RealTimeAnswer.Ends)
      while (task.next(Whole)) ()
      val taken = offsets(scene.driver.ended.get.head)
      assertEquals(taken.values.sum >= 1, true)
      assertEquals(taken(if (first.startsWith("eu")) 0 else 1) >= 1L, true)
    }
  }

  test("one that has read less than another attempt reads on so far, beyond its time, and no further") {
    val scene = new Scene()
    using(scene) { task =>
      scene.driver.ending.set(RealTimeAnswer.ReadsOn(Map(0 -> 4L, 1 -> 3L)))
      val found = Iterator.continually(task.next(0)).takeWhile(identity).map(_ => row(task)).toVector
      assertEquals(found.sorted, Vector("eu0", "eu1", "eu2", "eu3", "us0", "us1", "us2"))
      assertEquals(offsets(scene.driver.ended.get.last), Map(0 -> 4L, 1 -> 3L))
    }
  }

  test("a further attempt reads to the ends that are decided") {
    val scene = new Scene(again = true)
    scene.driver.fixed = Map(0 -> 2L, 1 -> 1L)
    using(scene) { task =>
      assertEquals(rows(task, 3).sorted, Vector("eu0", "eu1", "us0"))
      assertEquals(task.next(20), false)
    }
  }

  test("one that has taken more than another attempt fails") {
    val scene = new Scene()
    using(scene) { task =>
      rows(task, 2): Unit
      scene.driver.ending.set(RealTimeAnswer.RunsAgain)
      intercept[IllegalStateException](while (task.next(0)) ()): Unit
    }
  }

  test("one whose batch runs without it fails soon, and writes no more rows") {
    val scene = new Scene()
    using(scene) { task =>
      rows(task, 1): Unit
      scene.driver.says.set(RealTimeAnswer.RunsAgain)
      intercept[IllegalStateException](while (task.next(Whole)) ()): Unit
      assertEquals(scene.driver.ended.get, Vector.empty)
    }
  }

  test("one that Spark lets read nothing ends where it began, and begins no thread") {
    val scene = new Scene(from = 2)
    using(scene) { task =>
      task.end()
      assertEquals(scene.driver.ended.get.map(offsets), Vector(Map(0 -> 2L, 1 -> 2L)))
      assertEquals(scene.kafka.opened, Vector.empty)
    }
  }

  test("a drain is read to its target") {
    val scene = new Scene(until = 3)
    using(scene) { task =>
      assertEquals(rows(task, 6).sorted, Vector("eu0", "eu1", "eu2", "us0", "us1", "us2"))
      assertEquals(task.next(300), false)
      assertEquals(offsets(scene.driver.ended.get.head), Map(0 -> 3L, 1 -> 3L))
    }
  }

  test(
    "an offset that is gone, and another Kafka cluster, end the reading of that cluster alone, and the driver hears why"
  ) {
    Seq[RecordedKafka => Unit](
      kafka => kafka.holds("eu", "orders", 0)(RecordedLog.of(3, 5)): Unit,
      kafka => kafka.kafkaIds(ClusterId("eu")) = "another"
    ).foreach { breaks =>
      val scene = new Scene()
      breaks(scene.kafka)
      using(scene) { task =>
        assertEquals(rows(task, 5), (0 until 5).map(at => s"us$at").toVector)
        assertEquals(task.next(600), false)
        val failed = scene.driver.ended.get.head.failed
        assertEquals(failed.keySet, Set(ClusterId("eu")))
        assert(failed(ClusterId("eu")).asks, failed)
      }
    }
  }

  test("a consumer that may still get a wakeup is not used again") {
    val scene = new Scene(until = 5)
    val woken = () => while (!scene.kafka.synchronized(scene.kafka.calls.contains("eu wakeup"))) Thread.sleep(5)
    // Its last poll has all that is left, and is over only after the wakeup. Then it has no partition to poll.
    scene.kafka.next("eu")(() => (), () => (), woken, () => throw new IllegalStateException("no partitions"))
    using(scene) { task =>
      rows(task, 9): Unit
      scene.driver.says.set(RealTimeAnswer.Ends)
      assertEquals(task.next(Whole), false)
    }
    def eu = scene.kafka.opened.zip(scene.kafka.calls.filter(_.endsWith(" open"))).collectFirst {
      case (consumer, "eu open") => consumer.closed
    }
    val until = System.nanoTime + Duration.ofSeconds(10).toNanos
    while (!eu.contains(true) && System.nanoTime < until) {
      scene.pool.sweep(): Unit
      Thread.sleep(5)
    }
    assertEquals(eu, Some(true))
  }

  test("while it runs the driver hears how far it is") {
    val scene = new Scene()
    using(scene) { task =>
      rows(task, 10): Unit
      assertEquals(task.next(800), false)
      val known = scene.driver.said.get.flatMap(offsets(_)).toMap
      assertEquals(known, Map(0 -> 5L, 1 -> 5L))
      assert(scene.driver.said.get.sizeIs >= 2)
    }
  }
}
