package io.github.dynamickafka.spark.driver.realtime

import java.nio.file.Files
import java.util.concurrent.{FutureTask, TimeoutException, TimeUnit}

import scala.collection.immutable.SortedSet

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.offsets.{OffsetJson, OffsetPoint, OffsetRule, SourceOffset}
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.TakenPart
import io.github.dynamickafka.spark.spark.{CheckpointFiles, RealTimeStream}
import io.github.dynamickafka.spark.topology.Topology

/** The driver dies before a real-time batch is committed, and the query starts again. */
class KilledBatchSuite extends FunSuite with LiveScenes {
  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))
  private val newAtLatest                  = skipping.copy(newCluster = OffsetRule.everywhere(OffsetPoint.Latest))

  test("a mirror that was found to be behind is held, also where producers have filled the gap since") {
    val (store, kafka) = (new InMemoryDecisionStore, new ScriptedClusters)
    val before         = listed("ap" -> topics("orders"), "eu" -> topics("orders"))
    val over           = listed("ap" -> topics("orders"), "us" -> topics("orders").continuing("eu"))
    kafka.now("ap", orders)
    kafka.now("eu", answer("orders" -> has(0 -> 500)))
    kafka.now("us", answer("orders" -> has(0 -> 490)))
    val behind = using(new Live(kafka, before, realTime(), store)) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("ap 0 0", "eu 0 0"))
      val behind = logged(here.ends(TakenPart(0, 10), TakenPart(1, 500)))
      here.next(over)
      assertEquals(here.begins(behind), Vector("ap 0 10"), "the mirror is behind")
      behind
    }
    // Producers fill the gap.
    kafka.now("us", answer("orders" -> has(0 -> 510)))
    using(new Live(kafka, over, realTime(), store))(again => assertEquals(again.begins(behind), Vector("ap 0 10")))
  }

  test("a stream that is gone since the first batch began was removed: it is not unknown") {
    val store = new InMemoryDecisionStore
    using(new Live(healthy, both, realTime(), store)) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
      here.says(TakenPart(0, 10), TakenPart(1, 10)): Unit
    }
    val gone = both.copy(unknown = SortedSet(StreamId("refunds")))
    using(new Live(healthy, gone, realTime(), store)) { again =>
      assertEquals(again.begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
    }
  }

  // A micro-batch with asynchronous progress follows a killed real-time batch.
  private def asyncMicro(triggers: Int): Vector[String] = {
    val (store, kafka) = (new InMemoryDecisionStore, healthy)
    val start          = using(new Live(kafka, alone, realTime(newAtLatest), store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val start = logged(here.ends(TakenPart(0, 10)))
      here.next(both)
      assertEquals(here.begins(start), Vector("eu 0 10", "us 0 10"))
      start
    }
    kafka.now("us", more)
    def micro() = new OpenedDriver(newAtLatest, kafka, () => both, begun = store).driver
    val planned = micro()
    try {
      planned.progressIsAsynchronous()
      var at = start
      for (_ <- 0 until triggers) {
        // Spark writes this one in the background, and is killed before that write is done.
        val next = logged(planned.latest(at, ReadLimits(Some(1), None, aligned = true)))
        assertEquals(ranges(at, next).size, 1)
        planned.plan(at, next): Unit
        at = next
      }
    } finally planned.close()
    kafka.now("us", answer("orders" -> has(0 -> 20)))
    val again = micro()
    try ranges(start, logged(again.latest(start, ReadLimits.everything)))
    finally again.close()
  }

  test("control: asynchronous micro-batch, killed in its first batch")(
    assertEquals(asyncMicro(1), Vector("us orders 0 10-20"))
  )
  test("asynchronous micro-batches, killed while the first offset is still being written")(
    assertEquals(asyncMicro(2), Vector("us orders 0 10-20"))
  )

  /** Spark 4.3 commits in the background. A batch has begun to read `us`, and one more is to begin that reads `ap` as well.
    *
    * @param commits whether Spark commits the batch before. The query is stopped else
    * @return what is read after the restart
    */
  private def next(commits: Boolean): Vector[String] = {
    val (store, kafka)    = (new InMemoryDecisionStore, healthy)
    val three             = listed("ap" -> topics("orders"), "eu" -> topics("orders"), "us" -> topics("orders"))
    var calls             = Vector.empty[String]
    def committed(): Unit =
      if (commits) calls :+= store.read().get else throw new IllegalStateException("the query is stopped")
    kafka.now("ap", orders)
    val (first, second) = using(new Live(kafka, alone, realTime(newAtLatest), store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val first = logged(here.ends(TakenPart(0, 4)))
      here.next(both)
      assertEquals(here.begins(first), Vector("eu 0 4", "us 0 10"))
      val kept   = store.read().get
      val second = logged(here.ends(TakenPart(0, 5), TakenPart(1, 10)))
      here.next(three)
      here.live.latest(second): Unit
      if (commits) {
        here.live.plan(second, () => committed()): Unit
        assertEquals(calls, Vector(kept), "it waits before it writes")
        val third = logged(here.ends(TakenPart(0, 10), TakenPart(1, 6), TakenPart(2, 10)))
        here.live.latest(third): Unit
        here.live.plan(third, () => committed()): Unit
        assertEquals(calls.size, 1, "nothing begins: it does not wait")
      } else intercept[IllegalStateException](here.live.plan(second, () => committed())): Unit
      (first, second)
    }
    Seq("ap", "us").foreach(kafka.now(_, more))
    using(new Live(kafka, three, realTime(newAtLatest), store))(_.begins(if (commits) second else first))
  }

  test("what begins replaces what the batch before had begun with, once that is committed") {
    assertEquals(next(commits = true), Vector("ap 0 10", "eu 0 5", "us 0 10"))
  }

  test("if it is never committed, the restart begins with what that batch had begun") {
    assertEquals(next(commits = false), Vector("ap 0 15", "eu 0 4", "us 0 10"))
  }

  test("a commit is awaited where Spark writes it") {
    val root = Files.createTempDirectory("checkpoint")
    Seq("commits", "sources/0").foreach(name => Files.createDirectories(root.resolve(name)): Unit)
    val files = new CheckpointFiles(root.resolve("sources").resolve("0").toString, new Configuration)
    files.awaitCommit(-1)
    val waits  = new FutureTask[Unit](() => files.awaitCommit(7), ())
    val thread = new Thread(waits)
    thread.start()
    Seq("6", ".7.crc", ".7.tmp").foreach(name => Files.writeString(root.resolve("commits").resolve(name), ""): Unit)
    intercept[TimeoutException](waits.get(200, TimeUnit.MILLISECONDS)): Unit
    Files.writeString(root.resolve("commits").resolve("7"), ""): Unit
    waits.get(10, TimeUnit.SECONDS)
    files.awaitCommit(6)
  }

  /** A real-time batch is logged, and the driver dies before its commit. Another trigger tries to run it, and Real-Time
    * Mode starts again.
    *
    * @param topology what the other trigger finds
    * @return what it plans
    */
  private def runsBetween(topology: Topology): Vector[(Long, Long)] = {
    val root = Files.createTempDirectory("checkpoint")
    Seq("offsets", "commits", "sources/0").foreach(name => Files.createDirectories(root.resolve(name)): Unit)
    def files        = new CheckpointFiles(root.resolve("sources").resolve("0").toString, new Configuration)
    val kafka        = healthy
    val (start, end) = using(new Live(kafka, alone, realTime(), files.begun)) { here =>
      here.begins(SourceOffset.initial): Unit
      val start = logged(here.ends(TakenPart(0, 4)))
      Files.writeString(root.resolve("offsets").resolve("0"), "v1\n{}\n" + OffsetJson.write(start))
      Files.writeString(root.resolve("commits").resolve("0"), "v1\n{}")
      here.begins(start): Unit
      val end = logged(here.ends(TakenPart(0, 10)))
      Files.writeString(root.resolve("offsets").resolve("1"), "v1\n{}\n" + OffsetJson.write(end))
      start -> end
    }
    val other = new OpenedDriver(skipping, kafka, () => topology, begun = files.begun).driver
    val plans =
      try other.plan(start, end, Some(1)).map(one => (one.from, one.until))
      catch { case e: DynamicKafkaException if e.condition == Condition.ClusterNotListed => Vector.empty }
      finally other.close()
    val settings = SourceOptionsParser.settings(
      Map("metadataService" -> "yaml", "metadataService.path" -> "/none", "streamIds" -> "s"),
      ReadKind.Streaming
    )
    RealTimeStream.of(settings, RowSchema.all, files).asInstanceOf[RealTimeStream].prepareForRealTimeMode()
    plans
  }

  test("a batch that AvailableNow has run and not committed is refused") {
    val refused = intercept[DynamicKafkaException](runsBetween(alone))
    assertEquals(refused.condition, Condition.InvalidOption: Condition)
  }

  test("one that AvailableNow could not read is not") {
    assertEquals(runsBetween(listed("us" -> topics("orders"))), Vector.empty[(Long, Long)])
  }
}
