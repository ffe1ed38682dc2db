package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.plan.ReadLimits

/** The old id is listed for an uncommitted batch alone, and has all of it. The first answer is out of date: its broker has
  * just started, or was frozen. The mirror ended before the batch does.
  */
class OldIdOutOfDateSuite extends FunSuite with StepScenes {
  private val names            = topics("orders")
  private def eu(end: Int)     = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = answer("orders" -> has(0 -> end).of("T9")).of("K2")

  private val old   = listed("eu" -> names)
  private val begun = Query(fromEarliest).sees(old)("eu" -> eu(10)).read
  private val last  = begun.sees(old)("eu" -> eu(15)).read.held

  for (
    (what, first) <- Seq(
      "has no topics yet"              -> answer("orders" -> absent).of("K1"),
      "has the id of an earlier topic" -> answer("orders" -> has(0 -> 20).of("T0")).of("K1"),
      "control: is not"                -> eu(15)
    );
    line <- Seq(false, true)
  ) test(s"its whole batch is read from it: the first answer $what; the metadata says where mirroring ended: $line") {
    val next  = names.continuing("eu")
    val ended = if (line) next.startingAt("""{"orders":{"0":12}}""") else next
    val kafka = new ScriptedClusters
    kafka.now("eu", eu(15))
    kafka.once("eu", first)
    kafka.now("new", mirror(if (line) 30 else 12))
    val policy = fromEarliest.copy(agreement = Duration.ofMillis(500))
    val here   = new OpenedDriver(policy, kafka, () => listed("eu" -> topics(), "new" -> ended))
    import here.driver
    try {
      val plan = driver.plan(begun.held, last).map(range => s"${range.from}-${range.until}")
      assertEquals(plan -> driver.kafkaIdsOfBatch.values.toVector, Vector("10-15") -> Vector("K1"))
      if (line) {
        here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
        assertEquals(ranges(last, driver.latest(last, ReadLimits.everything)), Vector("new orders 0 12-30"))
        assertEquals(driver.remembered.abandonedRecords, 0L)
      }
    } finally driver.close()
  }
}
