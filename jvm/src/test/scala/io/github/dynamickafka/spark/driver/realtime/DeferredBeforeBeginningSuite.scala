package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.DeferredScenes
import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits

/** A committed micro-batch deferred a part. The real-time batch behind it has begun with that part unread, and is not
  * committed.
  */
class DeferredBeforeBeginningSuite extends FunSuite with LiveScenes with DeferredScenes {
  private val ap    = topics("orders").startingAt("""{"orders":"latest"}""")
  private val three = listed("ap" -> ap, "eu" -> topics("orders"), "us" -> topics("orders"))

  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))

  private def story(defers: Boolean): Unit = {
    val (begun, decisions) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    val kafka              = healthy
    kafka.now("ap", orders)
    Seq("eu", "us").foreach(kafka.now(_, more))
    val first =
      new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer, decisions, begun = begun).driver
    val committed =
      try {
        val next = logged(first.latest(start, ReadLimits.everything))
        if (defers) runs(first, start, next) else runs(first, start, next, _ => false)
        next
      } finally first.close()
    def live(): Vector[String] = {
      val driver =
        new OpenedDriver(realTime(), kafka, () => three, UnreadableRangePolicy.Defer, decisions, begun = begun).driver
      val live = new RealTimeDriver(driver, driver.environment, "test", _ => ())
      try {
        live.latest(committed): Unit
        live.plan(committed).map(one => s"${one.id.cluster} ${one.from}")
      } finally {
        live.close()
        driver.close()
      }
    }
    val begins = live()
    assertEquals(begins, Vector("ap 10", "eu 15", if (defers) "us 10" else "us 15"))
    // The batch reads records 10 to 15 of ap, and the driver dies before it is committed.
    kafka.now("ap", more)
    assertEquals(live(), begins)
  }

  test("control: without a deferred part a new cluster begins again where it had begun")(story(defers = false))

  test("a new cluster begins again where it had begun, though the batch before had deferred a part")(
    story(defers = true)
  )
}
