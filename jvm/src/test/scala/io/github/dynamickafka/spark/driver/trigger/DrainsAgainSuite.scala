package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.topology.Topology

/** What was written while a log was listed and not read drains when it is removed, under whichever of its ids it was listed. */
class DrainsAgainSuite extends FunSuite with StepScenes {
  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))

  /** A log has drained. It is listed again as `eu`, and nothing is read of it meanwhile. Then it is removed again.
    *
    * @param id under which it was read
    * @param paused whether it is paused then; else its topic may not be described
    * @return what is read after the first removal, meanwhile, and after the second one
    */
  private def drains(id: String, paused: Boolean): Vector[String] = {
    val kafka         = new ScriptedClusters
    def ends(at: Int) = Seq("eu", "eu2").foreach(kafka.now(_, answer("orders" -> has(0 -> at).of("T")).of("K")))
    def ofId          = if (id == "eu") topics("orders") else topics("orders").continuing("eu")
    @volatile var now = listed(id -> ofId)
    val none          = listed("eu" -> topics(), "eu2" -> topics())
    val back          = listed("eu" -> (if (paused) topics("orders").paused else topics("orders")))
    val here          = new OpenedDriver(skipping, kafka, () => now)
    var at            = SourceOffset.initial
    def triggers(topology: Topology): Vector[String] = {
      now = topology
      here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      val next = logged(here.driver.latest(at, ReadLimits.everything))
      val read = ranges(at, next)
      at = next
      read
    }
    try {
      ends(10)
      triggers(listed("eu" -> topics("orders"))): Unit
      triggers(now): Unit
      triggers(listed(id -> ofId)): Unit
      ends(15)
      val first = triggers(none)
      if (!paused) kafka.now("eu", answer("orders" -> hidden).of("K"))
      val idle = triggers(none) ++ triggers(back) ++ triggers(back)
      ends(17)
      val second = triggers(none) ++ triggers(none)
      Vector(first, idle, second).map(_.mkString(",").replace("eu2", "eu"))
    } finally here.driver.close()
  }

  for (id <- Seq("eu", "eu2"); (how, paused) <- Seq("paused" -> true, "where it may not be described" -> false))
    test(s"it was read as $id, and is listed again as eu, $how") {
      assertEquals(drains(id, paused), Vector("eu orders 0 10-15", "", "eu orders 0 15-17"))
    }
}
