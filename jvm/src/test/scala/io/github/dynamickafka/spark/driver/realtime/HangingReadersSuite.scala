package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy

/** In Real-Time Mode no packet of an executor reaches `eu`, as behind a firewall: Kafka's consumer waits, and throws nothing.
  * The driver reaches it, and knows its ten records. The same task reads `us` all the time.
  */
class HangingReadersSuite extends FunSuite with LiveScenes {
  private class Hanging(policy: ReconcilePolicy)
      extends Live(healthy, both, realTime(policy), options = Map("clusterReadTimeout" -> "1s")) {
    private var end = 10L
    private var us  = 0
    on(SourceOffset.initial)

    def on(from: SourceOffset): Unit = {
      us = begins(from).indexWhere(_.startsWith("us "))
      // As in the first report of a task.
      says((0 to us).map(TakenPart(_, 0)): _*): Unit
    }

    def readsUs(millis: Long)(claim: => Boolean): Boolean = within(millis) {
      end += 1
      clusters.now("us", answer("orders" -> has(0 -> end.toInt)))
      says(TakenPart(us, end)): Unit
      claim
    }

    // Nothing of `eu`, if the batch has it.
    def over: SourceOffset =
      ends((0 until us).map(TakenPart(_, 0)) :+ TakenPart(us, end): _*)

    def drains: Boolean = driver.remembered.last.exists(_.reconciled.offset.topics.exists(_._3.drains))
  }

  test("under fail the query fails") {
    using(new Hanging(fromEarliest)) { here =>
      assert(here.readsUs(10000)(here.says().isInstanceOf[RealTimeAnswer.Fails]), "nothing of eu is read, for ever")
    }
  }

  test("under skip the cluster is shown as unavailable") {
    using(new Hanging(skipping)) { here =>
      assert(here.readsUs(10000)(here.unavailable), "nothing of eu is read, and its state is reading")
    }
  }

  test("a drain is given up after drainTimeout") {
    val soon = skipping.copy(removal = skipping.removal.copy(drainTimeout = Duration.ofSeconds(4)))
    using(new Hanging(soon)) { here =>
      here.next(listed("us" -> topics("orders")))
      assert(here.endsEarly())
      here.on(here.over)
      assert(here.drains)
      val end = System.nanoTime + Duration.ofSeconds(20).toNanos
      while (here.drains && System.nanoTime < end)
        if (here.readsUs(200)(here.says() != RealTimeAnswer.GoesOn)) here.on(here.over)
      assert(!here.drains, "no try of the drain ever fails")
    }
  }
}
