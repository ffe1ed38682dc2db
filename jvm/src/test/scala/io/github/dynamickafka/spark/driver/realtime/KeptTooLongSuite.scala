package io.github.dynamickafka.spark.driver.realtime

import java.nio.file.Files
import java.time.Duration

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ManualClock, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.TakenPart
import io.github.dynamickafka.spark.spark.{CheckpointFiles, RealTimeStream}
import io.github.dynamickafka.spark.topology.Topology

/** A beginning of Real-Time Mode that is kept, though a later run has undone it. */
class KeptTooLongSuite extends FunSuite with LiveScenes {
  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))
  private val off                          = listed("eu" -> topics("orders"), "us" -> topics())

  private class Checkpoint(val clock: ManualClock = new ManualClock(begin)) {
    val store = new InMemoryDecisionStore
    val kafka = healthy
    var at    = SourceOffset.initial
    var read  = Vector.empty[String]

    /** One run of AvailableNow: until nothing more is there to do. As Spark does, a batch is logged if its text is another. */
    def availableNow(topology: Topology): Unit = {
      val here = new OpenedDriver(skipping, kafka, () => topology, begun = store, clock = clock).driver
      try {
        here.freeze()
        var more = true
        while (more) {
          val next = logged(here.latest(at, ReadLimits.everything))
          more = next != at
          if (more) {
            here.plan(at, next).foreach(one => read :+= s"${one.id.cluster} ${one.from}-${one.until}")
            at = next
          }
        }
      } finally here.close()
    }

    /** A real-time batch begins. The query is stopped before the batch ends. */
    def stoppedInRealTime(topology: Topology): Vector[String] = {
      val opened = new OpenedDriver(realTime(), kafka, () => topology, begun = store, clock = clock)
      val live   = new RealTimeDriver(opened.driver, opened.driver.environment, "test", _ => ())
      try {
        live.latest(at): Unit
        live.plan(at).map(one => s"${one.id.cluster} ${one.from}")
      } finally {
        live.close()
        opened.driver.close()
      }
    }
  }

  /** us is taken off while a real-time batch begins, and comes back: a run reads it to its end. Then it gets five more
    * records, and is taken off.
    */
  private def drained(realTime: Boolean): Vector[String] = {
    val here = new Checkpoint
    here.availableNow(both)
    assertEquals(here.read, Vector("eu 0-10", "us 0-10"))
    if (realTime) assertEquals(here.stoppedInRealTime(off), Vector("eu 10"))
    here.availableNow(both)
    here.kafka.now("us", more)
    here.read = Vector.empty
    here.availableNow(off)
    here.read
  }

  test("control: us drains")(assertEquals(drained(realTime = false), Vector("us 10-15")))

  test("us drains, though a real-time batch that was stopped had begun without it")(
    assertEquals(drained(realTime = true), Vector("us 10-15"))
  )

  test("us drains, though a real-time batch had begun without it; micro-batches have recorded that, and its return") {
    val here = new Checkpoint
    here.availableNow(both)
    val first = here.at
    assertEquals(here.stoppedInRealTime(off), Vector("eu 10"))
    here.availableNow(off)
    assertNotEquals(here.at, first)
    here.availableNow(both)
    assertEquals(here.at, first, "nothing was read: the offset has the same text again")
    here.kafka.now("us", more)
    here.read = Vector.empty
    here.availableNow(off)
    assertEquals(here.read, Vector("us 10-15"))
  }

  test("us drains, though its removal and its return were real-time batches, and the query has stopped behind them") {
    val (store, kafka) = (new InMemoryDecisionStore, healthy)
    val last           = using(new Live(kafka, both, realTime(), store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val first = logged(here.ends(TakenPart(0, 10), TakenPart(1, 10)))
      here.driver.committed(SourceOffset.initial)
      here.next(off)
      assertEquals(here.begins(first), Vector("eu 0 10"))
      val second = logged(here.ends(TakenPart(0, 10)))
      here.driver.committed(first)
      here.next(both)
      assertEquals(here.begins(second), Vector("eu 0 10", "us 0 10"))
      val third = logged(here.ends(TakenPart(0, 10), TakenPart(1, 10)))
      here.driver.committed(second)
      assertEquals(third, first, "the same text again")
      third
    }
    kafka.now("us", more)
    using(new Live(kafka, off, realTime(), store))(again =>
      assertEquals(again.begins(last), Vector("eu 0 10", "us 0 10"))
    )
  }

  /** The same, but it has no more records, is taken off for a day, and comes back. */
  private def returned(realTime: Boolean): Vector[String] = {
    val here = new Checkpoint
    here.availableNow(both)
    if (realTime) assertEquals(here.stoppedInRealTime(off), Vector("eu 10"))
    here.clock.advance(Duration.ofHours(1))
    here.availableNow(both)
    here.clock.advance(Duration.ofDays(40))
    here.availableNow(both)
    here.read = Vector.empty
    here.availableNow(off)
    here.clock.advance(Duration.ofDays(1))
    here.availableNow(both)
    here.read
  }

  test("control: what comes back after a day resumes")(assertEquals(returned(realTime = false), Vector.empty[String]))

  test("what comes back after a day resumes, though a real-time batch had begun without it 41 days ago")(
    assertEquals(returned(realTime = true), Vector.empty[String])
  )

  /** The ending offset of us is raised for Real-Time Mode, and comes back: a run has nothing to read. */
  private def ended(realTime: Boolean): Vector[String] = {
    val here   = new Checkpoint
    val ending = listed("eu" -> topics("orders"), "us" -> topics("orders").endingAt("""{"orders":{"0":10}}"""))
    here.availableNow(ending)
    if (realTime) assertEquals(here.stoppedInRealTime(both), Vector("eu 10", "us 10"))
    here.availableNow(ending)
    here.kafka.now("us", more)
    here.read = Vector.empty
    here.availableNow(off)
    here.read
  }

  test("control: what lies beyond the ending is not read")(
    assertEquals(ended(realTime = false), Vector.empty[String])
  )

  test("what lies beyond the ending is not read, though a real-time batch had begun without it")(
    assertEquals(ended(realTime = true), Vector.empty[String])
  )

  // Spark 4.3: asynchronous. Two batches begin that are not committed.

  /** @param one so the second batch begins
    * @param two so the third
    * @param later what is listed when the query starts again
    * @param back whether it starts from the offset before the second batch
    */
  private def asynchronous(first: Topology, one: Topology, two: Topology, later: Topology, back: Boolean)(
      parts: Vector[Long] => Vector[TakenPart]
  ): Vector[String] = {
    val (store, kafka)            = (new InMemoryDecisionStore, new ScriptedClusters)
    def ten(id: String, end: Int) = kafka.now(id, answer("orders" -> has(0 -> end).of(s"T-$id")).of(s"K-$id"))
    Seq("eu", "us").foreach(ten(_, 10))
    val (committed, last) = using(new Live(kafka, first, realTime(), store)) { here =>
      def batch(from: SourceOffset) =
        logged(here.ends(parts(here.begins(from).map(_.split(" ").last.toLong)): _*))
      val committed = batch(SourceOffset.initial)
      here.next(one)
      val end = batch(committed)
      here.driver.committed(committed)
      here.next(two)
      here.begins(end): Unit
      (committed, end)
    }
    Seq("eu", "us").foreach(ten(_, 15))
    using(new Live(kafka, later, realTime(), store))(_.begins(if (back) committed else last))
  }

  for (back <- Seq(false, true)) {
    val where = if (back) " from the batch before" else ""

    // us is taken off and returns.
    test(s"what returned drains$where") {
      assertEquals(
        asynchronous(both, off, both, off, back)(_.map(_ => 10L).zipWithIndex.map(p => TakenPart(p._2, p._1))),
        Vector("eu 0 10", "us 0 10")
      )
    }
  }

  private val only = listed("eu" -> topics("orders"))
  private val over = listed("us" -> topics("orders").continuing("eu"))
  private val gone = listed("eu" -> topics(), "us" -> topics("orders"))

  // The metadata joined both, and us took over. Later the line is gone.
  for (back <- Seq(false, true))
    test(s"ids that were one log stay one; back: $back") {
      assertEquals(
        asynchronous(only, only, over, gone, back)(_.zipWithIndex.map { case (from, n) =>
          TakenPart(n, if (from == 0) 5 else 10)
        }),
        Vector(if (back) "us 0 5" else "us 0 10")
      )
    }

  // The query has a second source, of which alone a micro-batch reads. The driver dies before that is committed.
  test("a micro-batch of another source that is not committed refuses Real-Time Mode") {
    val root = Files.createTempDirectory("checkpoint")
    Seq("offsets", "commits", "sources/0").foreach(name => Files.createDirectories(root.resolve(name)): Unit)
    def files = new CheckpointFiles(root.resolve("sources").resolve("0").toString, new Configuration)
    val kafka = healthy
    val start = using(new Live(kafka, alone, realTime(), files.begun)) { here =>
      here.begins(SourceOffset.initial): Unit
      val start = logged(here.ends(TakenPart(0, 10)))
      Files.writeString(root.resolve("offsets").resolve("0"), "v1\n{}\n" + OffsetJson.write(start) + "\n{\"other\":0}")
      Files.writeString(root.resolve("commits").resolve("0"), "v1\n{}")
      start
    }
    val planned = new OpenedDriver(skipping, kafka, () => alone, begun = files.begun).driver
    try assertEquals(logged(planned.latest(start, ReadLimits.everything)), start)
    finally planned.close()
    Files.writeString(root.resolve("offsets").resolve("1"), "v1\n{}\n" + OffsetJson.write(start) + "\n{\"other\":9}")
    val settings = SourceOptionsParser.settings(
      Map("metadataService" -> "yaml", "metadataService.path" -> "/none", "streamIds" -> "s"),
      ReadKind.Streaming
    )
    intercept[DynamicKafkaException](
      RealTimeStream.of(settings, RowSchema.all, files).asInstanceOf[RealTimeStream].prepareForRealTimeMode()
    ): Unit
  }
}
