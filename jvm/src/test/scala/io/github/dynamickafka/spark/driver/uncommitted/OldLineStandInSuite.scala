package io.github.dynamickafka.spark.driver.uncommitted

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** The line of an earlier move is still in the file when the mirror takes over once more. */
class OldLineStandInSuite extends FunSuite with StepScenes {
  private val names            = topics("orders")
  private def ended(at: Int)   = listed("new" -> names.continuing("eu").startingAt(s"""{"orders":{"0":$at}}"""))
  private val old              = listed("eu" -> names)
  private def eu(end: Int)     = "eu"  -> answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = "new" -> answer("orders" -> has(0 -> end).of("T9")).of("K2")

  // Mirroring ended at 8; the mirror was read up to 20, and the old id from there up to 25.
  private val back = Query(skipping).sees(old)(eu(10)).read.sees(ended(8))(mirror(20)).read.sees(old)(eu(25)).read
  // The uncommitted batch reads from 25 until 30.
  private val end = back.sees(old)(eu(30)).read

  private def start(
      store: InMemoryDecisionStore,
      said: ClusterObservation,
      once: Option[ClusterObservation] = None
  ): Vector[String] = {
    val kafka = new ScriptedClusters
    kafka.now("new", said)
    once.foreach(kafka.once("new", _))
    val here = new OpenedDriver(
      skipping,
      kafka,
      () => ended(8),
      UnreadableRangePolicy.Wait,
      store,
      options = Map("clusterReadTimeout" -> "1s")
    ).driver
    try {
      val batch = here.plan(back.held, end.held).map(range => s"${range.from}-${range.until}")
      batch ++ ranges(end.held, here.latest(end.held, ReadLimits.everything))
    } catch { case e: DynamicKafkaException => Vector(e.condition.name) }
    finally here.close()
  }

  test("control: the mirror has all of it") {
    assertEquals(start(new InMemoryDecisionStore, mirror(30)._2), Vector("25-30"))
  }
  test("one answer of the mirror leaves the partition out") {
    val store = new InMemoryDecisionStore
    val first = start(store, answer("orders" -> only(1 -> (0 -> 3)).of("T9")).of("K2"))
    assertEquals(first -> start(store, mirror(30)._2), Vector("DYNAMIC_KAFKA_MIRROR_BEHIND") -> Vector("25-30"))
  }
  test("one answer of the mirror leaves the topic out") {
    val seen = start(new InMemoryDecisionStore, mirror(30)._2, once = Some(answer("orders" -> absent).of("K2")))
    assertEquals(seen, Vector("25-30"))
  }
}
