package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetJson, OffsetPoint, OffsetRule, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.TakenPart
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.topology.Topology

/** Asynchronous progress: a batch is not committed, and a later one has begun. The driver is killed. */
class LaterBatchKilledSuite extends FunSuite with LiveScenes {
  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))
  private val newAtLatest                  = skipping.copy(newCluster = OffsetRule.everywhere(OffsetPoint.Latest))
  private val quick                        = skipping.copy(agreement = Duration.ofMillis(50), failOnDataLoss = false)

  // A micro-batch with asynchronous progress follows a killed real-time batch.
  private def asyncMicro(triggers: Int): Vector[String] = {
    val (store, kafka) = (new InMemoryDecisionStore, healthy)
    val start          = using(new Live(kafka, alone, realTime(newAtLatest), store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val start = logged(here.ends(TakenPart(0, 10)))
      here.driver.committed(SourceOffset.initial)
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

  // Asynchronous real-time batches.
  private val ap = ClusterId("ap")

  private class Story(
      first: Topology,
      begun: Topology,
      again: Topology,
      policy: ReconcilePolicy = skipping,
      before: Option[Topology] = None
  )(
      kafka: ScriptedClusters,
      taken: Seq[Int],
      whileItBegins: => Unit,
      afterwards: => Unit,
      early: Boolean = false
  ) {
    def run(back: Boolean): Vector[String] = {
      val store = new InMemoryDecisionStore
      kafka.now("ap", orders)
      def also(topology: Topology) = topology.copy(clusters = topology.clusters + (ap -> topics("orders")))
      val (committed, after) = using(new Live(kafka, also(before.getOrElse(first)), realTime(policy), store)) { here =>
        // `ap` moves on in each batch: no two offsets are equal.
        var moved        = 0
        def ends(n: Int) = {
          moved += 1
          logged(here.ends((0 until n).map(i => TakenPart(i, if (i == 0) moved.toLong else taken(i - 1).toLong)): _*))
        }
        var n  = here.begins(SourceOffset.initial).size
        var at = ends(n)
        if (before.isDefined) {
          here.next(also(first))
          n = here.begins(at).size
          at = ends(n)
        }
        val committed = at
        n = here.begins(committed).size
        if (early) { whileItBegins; assert(here.endsEarly(8000)) }
        val after = ends(n)
        here.driver.committed(committed)
        if (!early) whileItBegins
        here.next(also(begun))
        here.begins(after): Unit
        (committed, after)
      }
      afterwards
      using(new Live(
        kafka,
        also(again),
        realTime(policy),
        store
      ))(_.begins(if (back) committed else after)).filterNot(_.startsWith("ap"))
    }
  }

  private def killed(name: String)(story: => Story, wanted: String*): Unit = {
    test(s"$name; control: from the later batch")(assertEquals(story.run(back = false), wanted.toVector))
    test(s"$name; from the batch before")(assertEquals(story.run(back = true), wanted.toVector))
  }

  killed("a return that is recorded while the cluster is silent, and removed again")(
    {
      val kafka = healthy
      new Story(alone, both, listed("eu" -> topics("orders"), "us" -> topics()), before = Some(both))(
        kafka,
        Seq(10, 10),
        kafka.hangs("us"),
        kafka.wakes("us", more)
      )
    },
    "eu 0 10",
    "us 0 10"
  )

  killed("an id that stood by is listed alone again, without the line")(
    {
      val kafka = new ScriptedClusters
      kafka.now("eu", answer("orders" -> has(0 -> 10).of("T1")).of("K1"))
      kafka.now("us", answer("orders" -> has(0 -> 10).of("T2")).of("K2"))
      new Story(
        listed("us" -> topics("orders")),
        listed("eu" -> topics("orders"), "us" -> topics("orders").continuing("eu")),
        listed("eu" -> topics("orders"))
      )(kafka, Seq(10), (), ())
    },
    "eu 0 10"
  )

  killed("a topic without Kafka's id is deleted, and created again with more records")(
    {
      val kafka = new ScriptedClusters
      kafka.now("eu", orders)
      new Story(alone, alone, alone, quick)(
        kafka,
        Seq(10),
        kafka.now("eu", answer("orders" -> absent)),
        kafka.now("eu", more),
        early = true
      )
    },
    "eu 0 0"
  )

  killed("two ids that were read are joined for good")(
    {
      val kafka = new ScriptedClusters
      kafka.now("eu", answer("orders" -> has(0 -> 10).of("T1")).of("K1"))
      kafka.now("us", answer("orders" -> has(0 -> 10).of("T2")).of("K2"))
      new Story(both, listed("eu" -> topics("orders"), "us" -> topics("orders").continuing("eu")), both)(
        kafka,
        Seq(10, 4),
        (),
        ()
      )
    },
    "eu 0 10"
  )

  killed("a partition that began at latest when Kafka's id of its topic came")(
    {
      val kafka = new ScriptedClusters
      kafka.now("eu", orders)
      val eu = listed("eu" -> topics("orders").startingAt("""{"orders":{"0":0,"1":"latest"}}"""))
      new Story(eu, eu, eu)(
        kafka,
        Seq(10, 10),
        kafka.now("eu", answer("orders" -> has(0 -> 10, 0 -> 10).of("T")).of("K")),
        kafka.now("eu", answer("orders" -> has(0 -> 15, 0 -> 15).of("T")).of("K"))
      )
    },
    "eu 0 10",
    "eu 1 10"
  )
}
