package io.github.dynamickafka.spark.driver.trigger

import munit.FunSuite

import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredJson, DeferredPart, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits

/** The last batches were deleted from the checkpoint's logs, and what they had deferred still stands beside them. */
class LogsPutBackSuite extends FunSuite with StepScenes {
  private val us   = partition("us", "orders", 0)
  private val some = ReadLimits(Some(4), None, aligned = true)
  private val all  = ReadLimits.everything

  private def text(part: DeferredPart) = DeferredJson.write(Deferred(PartitionMap.from(Vector(us -> part))))

  private def started(store: InMemoryDecisionStore): SourceDriver = {
    val kafka = new ScriptedClusters
    Seq("eu", "us").foreach(kafka.now(_, more))
    new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer, store).driver
  }

  private def read(here: SourceDriver, from: SourceOffset, until: SourceOffset): Vector[String] =
    here.plan(from, until).map(range => s"${range.id.cluster} ${range.from}-${range.until}")

  test("another batch that ends at the same offsets has nothing to do with it, in no later start either") {
    val store  = new InMemoryDecisionStore(Some(text(DeferredPart(10, 15, 0))))
    val here   = started(store)
    val middle = here.latest(start, some)
    assertEquals(read(here, start, middle), Vector("eu 10-12", "us 10-12"))
    val end = here.latest(middle, all)
    assertEquals(end.get(us).map(_.next), Some(15L))
    assertEquals(read(here, middle, end), Vector("eu 12-15", "us 12-15"))
    assertEquals(here.latest(end, all), end)
    here.close()
    val later = started(store)
    assertEquals(read(later, middle, end), Vector("eu 12-15", "us 12-15"))
    assertEquals(later.latest(end, all), end)
    later.close()
  }

  test("what the last logged batch has deferred counts, and what one before it has, until it is read") {
    val store  = new InMemoryDecisionStore(Some(text(DeferredPart(7, 10, 0))))
    val here   = started(store)
    val middle = here.latest(start, some)
    here.close()
    assertEquals(middle.get(us).map(at => (at.start, at.incarnation)), Some((7L, 1)))
    val later = started(store)
    later.latest(middle, some): Unit
    assertEquals(store.read(), Some(text(DeferredPart(7, 10, 0))))
    later.close()
  }
}
