package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeUnit}
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.fakes.{ScriptedClusters, SlowCluster}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Trouble of single clusters, tasks and partitions while a batch of Real-Time Mode runs, and what the next batch begins with. */
class LiveTroubleSuite extends FunSuite with LiveScenes {
  private def outOfRange(partition: Int, at: Long) = ReaderFailure(
    "DYNAMIC_KAFKA_DATA_LOSS",
    s"Cluster eu: Fetch position FetchPosition{offset=$at} is out of range for partition orders-$partition",
    asks = true
  )

  /** Two batches in a row lose records of two partitions, one each. The driver explains both. */
  private def agesOut(policy: ReconcilePolicy)(body: Live => Unit): Unit = {
    val clusters = new ScriptedClusters
    clusters.now("eu", answer("orders" -> has(0 -> 100, 0 -> 100)))
    using(new Live(clusters, alone, realTime(policy.copy(failOnDataLoss = false)))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0"))
      clusters.now("eu", answer("orders" -> has(50 -> 100, 0 -> 100)))
      here.fails(outOfRange(0, 0), TakenPart(1, 10))
      assert(here.endsEarly())
      val first = here.ends(TakenPart(0, 0), TakenPart(1, 10))
      assertEquals(here.begins(first), Vector("eu 0 50", "eu 1 10"))
      // This batch reads well for a while. Then records of the other partition age out.
      here.says(TakenPart(0, 60), TakenPart(1, 20)): Unit
      here.looks()
      assertEquals(here.says(), RealTimeAnswer.GoesOn: RealTimeAnswer)
      clusters.now("eu", answer("orders" -> has(50 -> 100, 70 -> 100)))
      here.fails(outOfRange(1, 20))
      body(here)
    }
  }

  test("fail, failOnDataLoss=false: records age out in two batches in a row, and the query goes on") {
    agesOut(fromEarliest) { here =>
      assert(here.within(3000)(here.says() != RealTimeAnswer.GoesOn))
      here.looks()
      assertEquals(here.says(), RealTimeAnswer.Ends: RealTimeAnswer)
      val second = here.ends(TakenPart(0, 60), TakenPart(1, 20))
      assertEquals(here.begins(second), Vector("eu 0 60", "eu 1 70"))
    }
  }

  test("skip, failOnDataLoss=false: the same, and the cluster is read on at once") {
    agesOut(skipping) { here =>
      assert(here.within(3000)(here.says() != RealTimeAnswer.GoesOn))
      here.looks()
      val second = here.ends(TakenPart(0, 60), TakenPart(1, 20))
      assertEquals(here.begins(second), Vector("eu 0 60", "eu 1 70"))
    }
  }

  test("a drain that executors can't read, whose next try hangs, is given up after drainTimeout") {
    val clusters = new ScriptedClusters
    clusters.now("eu", orders)
    clusters.now("us", orders)
    val soon = skipping.copy(removal = skipping.removal.copy(drainTimeout = Duration.ofSeconds(5)))
    using(new Live(clusters, both, realTime(soon), options = Map("clusterReadTimeout" -> "1s"))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
      here.next(listed("us" -> topics("orders")))
      assert(here.endsEarly())
      val first = here.ends(TakenPart(0, 0), TakenPart(1, 10))
      assertEquals(here.begins(first), Vector("eu 0 0", "us 0 10"))
      here.fails(ReaderFailure("CONDITION", "no DNS here", asks = false))
      assert(here.endsEarly(8000))
      val second = here.ends(TakenPart(0, 0), TakenPart(1, 10))
      assertEquals(here.begins(second), Vector("eu 0 0", "us 0 10"))
      // Now the reader hangs: no record, no failure.
      assert(here.endsEarly(12000), "the drain is tried for ever")
      val third = here.ends(TakenPart(0, 0), TakenPart(1, 10))
      assertEquals(here.begins(third), Vector("us 0 10"))
    }
  }

  /** It takes 300 ms for an answer, and its brokers give no epochs. Partition 1 grows all the time. */
  final private class CutWhileRead extends ScriptedClusters {
    val end                  = new AtomicLong(10)
    @volatile var zero: Long = 10
    private val later = CompletableFuture.delayedExecutor(150, TimeUnit.MILLISECONDS, (task: Runnable) => task.run())
    override def observing(
        cluster: ClusterId,
        topics: Set[String],
        waitMode: WaitMode
    ): CompletableFuture[ClusterObservation] = CompletableFuture.supplyAsync(
      () => {
        val now = end.get
        answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, zero, zero), 1 -> Extent(0, now, now)))).of("K1")
      },
      later
    ).thenApplyAsync(said => said: ClusterObservation, later)
  }

  test("the log of one partition is cut off, without epochs; another task reads on: the cut is noticed") {
    val clusters = new CutWhileRead
    using(new Live(clusters, alone, realTime(skipping.copy(agreement = Duration.ofSeconds(30))))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0"))
      def reads(millis: Long): Unit = {
        val until = System.nanoTime + TimeUnit.MILLISECONDS.toNanos(millis)
        while (System.nanoTime < until) {
          here.says(TakenPart(1, clusters.end.addAndGet(20))): Unit
          Thread.sleep(20)
        }
      }
      here.says(TakenPart(0, 10)): Unit
      reads(2000)
      clusters.zero = 5
      here.fails(outOfRange(0, 10))
      reads(4000)
      val end    = here.ends(TakenPart(0, 10), TakenPart(1, clusters.end.get))
      val ranges = here.begins(end)
      // It is refilled beyond the position.
      assertEquals(ranges.filter(_.startsWith("eu 0")), Vector.empty[String], "it must be held")
    }
  }

  test("logs put back from a backup on a slow cluster (earlier epoch, lower end) are noticed") {
    val slow = new SlowCluster
    slow.ends(10, epoch = 5)
    using(new Live(slow, alone, realTime())) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      here.says(TakenPart(0, 10, Some(5))): Unit
      Vector.fill(3)(slow.awaitAnswer()): Unit
      here.looks()
      slow.ends(7, epoch = 3)
      Vector.fill(6)(slow.awaitAnswer()): Unit
      Thread.sleep(3000)
      val end    = here.ends(TakenPart(0, 10, Some(5)))
      val ranges = here.begins(end)
      // Producers fill it up beyond the position.
      slow.ends(20, epoch = 3)
      assertEquals(ranges, Vector.empty[String], "it must be held")
    }
  }

  test("a mirror that had all as a standby, and is cut off at the fail-over, stays held once it is refilled") {
    val clusters = new ScriptedClusters
    clusters.now("eu", answer("orders" -> has(0 -> 500)))
    clusters.now("us", answer("orders" -> has(0 -> 500)))
    val line = listed("eu" -> topics("orders"), "us" -> topics("orders").continuing("eu"))
    using(new Live(clusters, line, realTime())) { here =>
      def isBehind = here.driver.remembered.last.exists(_.reconciled.notices.exists {
        case found: Notice.MirrorBehind => found.cluster.value == "us"
        case _                          => false
      })
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      assertEquals(here.begins(here.ends(TakenPart(0, 500))), Vector("eu 0 500"))
      here.looks()
      clusters.now("us", answer("orders" -> has(0 -> 490)))
      // The fail-over: its first answer as the successor is below the position.
      here.next(listed("us" -> topics("orders").continuing("eu")))
      assert(here.endsEarly(5000))
      val seen = isBehind
      clusters.now("us", answer("orders" -> has(0 -> 510)))
      val ranges = here.begins(here.ends(TakenPart(0, 500)))
      assertEquals((seen, isBehind, ranges), (true, true, Vector.empty[String]))
    }
  }

  test("two clusters that are silent at borders by turns end no more than one batch a minute each") {
    val clusters = new ScriptedClusters
    clusters.now("eu", orders)
    clusters.now("us", orders)
    clusters.now("ap", orders)
    val three = listed("eu" -> topics("orders"), "us" -> topics("orders"), "ap" -> topics("orders"))
    using(new Live(clusters, three, realTime())) { here =>
      var at     = SourceOffset.initial
      var ranges = here.begins(at)
      var early  = Vector.empty[String]
      for (silent <- Vector("eu", "us", "eu", "us")) {
        at = here.ends(ranges.indices.map(TakenPart(_, 10)): _*)
        clusters.hangs(silent)
        ranges = here.begins(at)
        assert(!ranges.exists(_.startsWith(silent)), ranges)
        clusters.wakes(silent, orders)
        if (here.endsEarly(2500))
          early :+= here.live.current.flatMap(_.ending).getOrElse("")
      }
      assert(early.size <= 2, early)
    }
  }

  test(
    "readers see that a topic was created again four seconds before the broker that the driver asks: the query lives"
  ) {
    val clusters                    = new ScriptedClusters
    def topic(id: String, end: Int) = answer("orders" -> has(0 -> end).of(id)).of("K1")
    clusters.now("eu", topic("T1", 10))
    val again = ReaderFailure("DYNAMIC_KAFKA_TOPIC_RECREATED", "another id", asks = true)
    using(new Live(clusters, alone, realTime(fromEarliest.copy(failOnDataLoss = false)))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      here.fails(again, TakenPart(0, 10))
      assert(here.endsEarly())
      assertEquals(here.begins(here.ends(TakenPart(0, 10))), Vector("eu 0 10"))
      here.fails(again)
      Thread.sleep(3000)
      clusters.now("eu", topic("T2", 5))
      assert(here.within(5000)(here.says() != RealTimeAnswer.GoesOn))
      assertEquals(here.says(), RealTimeAnswer.Ends: RealTimeAnswer)
      assertEquals(here.begins(here.ends(TakenPart(0, 10))), Vector("eu 0 0"))
    }
  }

  test("a drain of a cluster that is down is given up after drainTimeout") {
    val clusters = new ScriptedClusters
    clusters.now("eu", orders)
    clusters.now("us", orders)
    val soon = skipping.copy(removal = skipping.removal.copy(drainTimeout = Duration.ofSeconds(4)))
    using(new Live(clusters, both, realTime(soon))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
      here.next(listed("us" -> topics("orders")))
      assert(here.endsEarly())
      val first = here.ends(TakenPart(0, 0), TakenPart(1, 10))
      assertEquals(here.begins(first), Vector("eu 0 0", "us 0 10"))
      clusters.now("eu", down)
      assert(here.endsEarly(9000))
      val second = here.ends(TakenPart(0, 0), TakenPart(1, 10))
      val next   = here.live.latest(second)
      assert(!next.topics.exists(_._3.drains), "the border forgets what the look has found")
    }
  }
}
