package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.topology.Topology

/** The first cluster comes back from its outage without its last records, stands by, and is then read again. */
class RolledBackShortSuite extends FunSuite with StepScenes {
  private def eu(end: Int)     = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = answer("orders" -> has(0 -> end).of("T9")).of("K2")
  private val next             = topics("orders").continuing("eu")
  private val first            = listed("eu" -> topics("orders"))
  private val moved            = listed("new" -> next)
  private val beside           = listed("eu" -> topics("orders"), "new" -> next)

  for (read <- Seq(10, 15))
    test(s"what producers write where its log was cut off is not passed over; the mirror was read up to $read") {
      val clusters                                                = new ScriptedClusters
      var now                                                     = first
      val opened                                                  = new OpenedDriver(fromEarliest, clusters, () => now)
      var at                                                      = SourceOffset.initial
      var all                                                     = Vector.empty[String]
      def trigger(topology: Topology)(says: (String, Int)*): Unit = {
        says.foreach { case (id, end) => clusters.now(id, if (id == "eu") eu(end) else mirror(end)) }
        now = topology
        opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
        val to = opened.driver.latest(at, ReadLimits.everything)
        all ++= ranges(at, to)
        at = to
      }
      try {
        trigger(first)("eu"  -> 10)
        trigger(moved)("new" -> 10)
        trigger(moved)("new" -> read)
        // It has lost its last three records, and answers so as a standby.
        trigger(beside)("eu" -> 7)
        // The move is rolled back. By the next ask, producers have written more than it had lost.
        trigger(first)("eu" -> 20)
        val held = opened.driver.remembered.last.get.reconciled.notices.map(_.toString.take(120))
        assert(!all.exists(_.startsWith("eu orders 0 1")), s"$all, $held")
      } finally opened.driver.close()
    }
}
