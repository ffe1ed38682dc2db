package io.github.dynamickafka.spark.driver.realtime

import java.nio.file.Files
import java.time.Duration

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ManualClock}
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
        batches(here)
      } finally here.close()
    }

    /** One run of micro-batches whose progress is asynchronous, over these changes of the metadata. */
    def asynchronous(topologies: Topology*): Unit = {
      @volatile var topology = topologies.head
      val opened             = new OpenedDriver(skipping, kafka, () => topology, begun = store, clock = clock)
      try {
        opened.driver.progressIsAsynchronous()
        topologies.foreach { next =>
          topology = next
          opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
          batches(opened.driver)
        }
      } finally opened.driver.close()
    }

    private def batches(here: SourceDriver): Unit = {
      var more = true
      while (more) {
        val next = logged(here.latest(at, ReadLimits.everything))
        more = next != at
        if (more) {
          here.plan(at, next).foreach(one => read :+= s"${one.id.cluster} ${one.from}-${one.until}")
          at = next
        }
      }
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

  for (
    (how, recorded) <- Seq[(String, Checkpoint => Unit)](
      "runs of AvailableNow"             -> { here => here.availableNow(off); here.availableNow(both) },
      "asynchronous runs"                -> { here => here.asynchronous(off); here.asynchronous(both) },
      "one asynchronous run"             -> (_.asynchronous(off, both)),
      "one asynchronous run, with flaps" -> (_.asynchronous(off, both, off, both))
    )
  ) test(s"us drains, though a real-time batch had begun without it; its removal and its return are recorded by $how") {
    val here = new Checkpoint
    here.availableNow(both)
    val first = here.at
    assertEquals(here.stoppedInRealTime(off), Vector("eu 10"))
    recorded(here)
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
      here.next(off)
      assertEquals(here.begins(first), Vector("eu 0 10"))
      val second = logged(here.ends(TakenPart(0, 10)))
      here.next(both)
      assertEquals(here.begins(second), Vector("eu 0 10", "us 0 10"))
      val third = logged(here.ends(TakenPart(0, 10), TakenPart(1, 10)))
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
