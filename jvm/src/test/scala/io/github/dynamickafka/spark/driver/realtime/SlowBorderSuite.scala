package io.github.dynamickafka.spark.driver.realtime

import java.util.concurrent.{CompletableFuture, TimeUnit}

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.fakes.{ScriptedClusters, SlowCluster}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.TakenPart
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** Batches of Real-Time Mode on a healthy cluster that takes long for an answer, as one far away does. */
class SlowBorderSuite extends FunSuite with LiveScenes {
  test("a partition that is read through its backlog from before an election is in the next batch too") {
    val slow = new SlowCluster
    using(new Live(slow)) { here =>
      // All was written before another broker came to lead it.
      slow.ends(100, epoch = 2)
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      here.says(TakenPart(0, 20, Some(1))): Unit
      Vector.fill(5)(slow.awaitAnswer()): Unit
      // Spark ends the batch.
      assertEquals(here.begins(here.ends(TakenPart(0, 50, Some(1)))), Vector("eu 0 50"))
    }
  }

  /** A cluster `eu` that takes 700 ms for an answer. */
  private class FarCluster extends ScriptedClusters {
    private val later = CompletableFuture.delayedExecutor(700, TimeUnit.MILLISECONDS, (task: Runnable) => task.run())

    override def observing(
        cluster: ClusterId,
        topics: Set[String],
        waitMode: WaitMode
    ): CompletableFuture[ClusterObservation] =
      if (cluster.value != "eu") super.observing(cluster, topics, waitMode)
      else CompletableFuture.runAsync(() => (), later).thenCompose(_ => super.observing(cluster, topics, waitMode))
  }

  test("a cluster that takes 700 ms for an answer is read on within five seconds of each of two changes of metadata") {
    val far = new FarCluster
    far.now("eu", orders)
    far.now("us", orders)
    using(new Live(far)) { here =>
      // Where the batch is by now.
      def on(from: SourceOffset, seconds: Long): Option[SourceOffset] = {
        val end   = System.nanoTime + TimeUnit.SECONDS.toNanos(seconds)
        var at    = from
        var found = here.begins(at)
        while (!found.exists(_.startsWith("eu ")) && System.nanoTime < end)
          if (here.endsEarly(200)) {
            at = here.ends(found.indices.map(TakenPart(_, 10)): _*)
            Thread.sleep(300)
            found = here.begins(at)
          }
        Option.when(found.exists(_.startsWith("eu ")))(here.ends(found.indices.map(TakenPart(_, 10)): _*))
      }
      val first = on(SourceOffset.initial, 5).get
      assertEquals(here.begins(first), Vector("eu 0 10"))
      here.next(both)
      assert(here.endsEarly(2000))
      val second = here.ends(TakenPart(0, 10))
      Thread.sleep(300)
      val third = on(second, 5)
      assert(third.isDefined, "not read on after the first change")
      here.begins(third.get): Unit
      Thread.sleep(5000)
      here.next(alone)
      assert(here.endsEarly(2000))
      val fourth = here.ends(TakenPart(0, 10), TakenPart(1, 10))
      Thread.sleep(300)
      assert(on(fourth, 5).isDefined, "not read on after the second change")
    }
  }
}
