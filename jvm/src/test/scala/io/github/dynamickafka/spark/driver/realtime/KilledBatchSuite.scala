package io.github.dynamickafka.spark.driver.realtime

import java.nio.file.Files

import scala.collection.immutable.SortedSet

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser}
import io.github.dynamickafka.spark.realtime.TakenPart
import io.github.dynamickafka.spark.spark.{CheckpointFiles, RealTimeStream}
import io.github.dynamickafka.spark.topology.Topology

/** The driver dies before a real-time batch is committed, and the query starts again. */
class KilledBatchSuite extends FunSuite with LiveScenes {
  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))

  /** Spark 4.3 logs asynchronously. A mirror was found to be behind when the next batch began.
    *
    * @param back whether the query starts again with the batch before
    * @return what it reads then
    */
  private def behindOnce(back: Boolean): Vector[String] = {
    val (store, kafka) = (new InMemoryDecisionStore, new ScriptedClusters)
    val before         = listed("ap" -> topics("orders"), "eu" -> topics("orders"))
    val over           = listed("ap" -> topics("orders"), "us" -> topics("orders").continuing("eu"))
    kafka.now("ap", orders)
    kafka.now("eu", answer("orders" -> has(0 -> 500)))
    kafka.now("us", answer("orders" -> has(0 -> 490)))
    val (committed, behind) = using(new Live(kafka, before, realTime(), store)) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("ap 0 0", "eu 0 0"))
      val committed = logged(here.ends(TakenPart(0, 4), TakenPart(1, 500)))
      assertEquals(here.begins(committed), Vector("ap 0 4", "eu 0 500"))
      val behind = logged(here.ends(TakenPart(0, 10), TakenPart(1, 500)))
      here.driver.committed(committed)
      here.next(over)
      assertEquals(here.begins(behind), Vector("ap 0 10"), "the mirror is behind")
      (committed, behind)
    }
    // Producers fill the gap.
    kafka.now("us", answer("orders" -> has(0 -> 510)))
    using(new Live(kafka, over, realTime(), store)) { again =>
      again.begins(if (back) committed else behind)
    }
  }

  test("a mirror that was found to be behind is held, also where producers have filled the gap since") {
    assertEquals(behindOnce(back = false), Vector("ap 0 10"))
  }

  test("the same where a later batch had found it") {
    assertEquals(behindOnce(back = true), Vector("ap 0 4"))
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

  for (killed <- Seq(false, true))
    test(s"a mirror that was behind before the log was read on takes over; killed: $killed") {
      val (store, kafka) = (new InMemoryDecisionStore, new ScriptedClusters)
      val before         = listed("ap" -> topics("orders"), "eu" -> topics("orders"))
      val beside = listed("ap" -> topics("orders"), "eu" -> topics("orders"), "us" -> topics("orders").continuing("eu"))
      val over   = listed("ap" -> topics("orders"), "us" -> topics("orders").continuing("eu"))
      kafka.now("ap", orders)
      kafka.now("eu", answer("orders" -> has(0 -> 500)))
      kafka.now("us", answer("orders" -> has(0 -> 490)))
      val committed = using(new Live(kafka, before, realTime(), store)) { here =>
        assertEquals(here.begins(SourceOffset.initial), Vector("ap 0 0", "eu 0 0"))
        val committed = logged(here.ends(TakenPart(0, 4), TakenPart(1, 500)))
        assertEquals(here.begins(committed), Vector("ap 0 4", "eu 0 500"))
        val first = logged(here.ends(TakenPart(0, 5), TakenPart(1, 500)))
        here.driver.committed(committed)
        here.next(over)
        assertEquals(here.begins(first), Vector("ap 0 5"), "the mirror is behind")
        val second = logged(here.ends(TakenPart(0, 6)))
        here.next(beside)
        kafka.now("eu", answer("orders" -> has(0 -> 600)))
        kafka.now("us", answer("orders" -> has(0 -> 600)))
        assertEquals(here.begins(second), Vector("ap 0 6", "eu 0 500"))
        val third = logged(here.ends(TakenPart(0, 7), TakenPart(1, 505)))
        assertEquals(here.begins(third), Vector("ap 0 7", "eu 0 505"))
        val fourth = logged(here.ends(TakenPart(0, 8), TakenPart(1, 505)))
        if (!killed) {
          here.next(over)
          assertEquals(here.begins(fourth), Vector("ap 0 8", "us 0 505"))
        }
        committed
      }
      if (killed) using(new Live(kafka, over, realTime(), store)) { again =>
        assertEquals(again.begins(committed), Vector("ap 0 4", "us 0 500"))
      }
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
