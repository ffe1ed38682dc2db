package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

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
  private val names          = topics("orders")
  private def ended(at: Int) = listed("new" -> names.continuing("eu").startingAt(s"""{"orders":{"0":$at}}"""))
  private val old            = listed("eu" -> names)
  private def eu(end: Int)   = "eu" -> answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int, id: String = "T9") = "new" -> answer("orders" -> has(0 -> end).of(id)).of("K2")

  // Mirroring ended at 8, or never began; the mirror was read up to 20, and the old id from there up to 25.
  private def back(line: Int) =
    Query(skipping).sees(old)(eu(10)).read.sees(ended(line))(mirror(20)).read.sees(old)(eu(25)).read

  private def start(
      store: InMemoryDecisionStore,
      said: ClusterObservation,
      line: Int = 8,
      moved: Int = 8,
      settling: Duration = Duration.ZERO
  )(
      later: ScriptedClusters => Unit = _ => ()
  ): Vector[String] = {
    val before = back(moved)
    // The uncommitted batch reads from 25 until 30.
    val end   = before.sees(old)(eu(30)).read
    val kafka = new ScriptedClusters
    kafka.now("new", said)
    later(kafka)
    val here = new OpenedDriver(
      skipping.copy(agreement = Duration.ofSeconds(1), settling = settling),
      kafka,
      () => ended(line),
      UnreadableRangePolicy.Wait,
      store,
      options = Map("clusterReadTimeout" -> "1s")
    ).driver
    try {
      val batch = here.plan(before.held, end.held).map(range => s"${range.from}-${range.until}")
      batch ++ ranges(end.held, here.latest(end.held, ReadLimits.everything))
    } catch { case e: DynamicKafkaException => Vector(e.condition.name) }
    finally here.close()
  }

  test("control: the mirror has all of it") {
    assertEquals(start(new InMemoryDecisionStore, mirror(30)._2)(), Vector("25-30"))
  }
  test("one answer of the mirror leaves the partition out") {
    val store = new InMemoryDecisionStore
    val first = start(store, answer("orders" -> only(1 -> (0 -> 3)).of("T9")).of("K2"))()
    assertEquals(first -> start(store, mirror(30)._2)(), Vector("DYNAMIC_KAFKA_MIRROR_BEHIND") -> Vector("25-30"))
  }
  for (at <- Seq(8, 0)) test(s"the mirror leaves the topic out for a moment; the line of the first move: $at") {
    val seen = start(new InMemoryDecisionStore, answer("orders" -> absent).of("K2"), at) {
      _.wakesAfter(Duration.ofMillis(300), "new", mirror(30)._2)()
    }
    assertEquals(seen, Vector("25-30"))
  }

  private val settling = Duration.ofMillis(500)

  test("one answer of the mirror has the id of an earlier topic: the line of the first move does not count") {
    val seen = start(new InMemoryDecisionStore, mirror(30)._2, settling = settling)(_.once("new", mirror(30, "T8")._2))
    assertEquals(seen, Vector("25-30"))
  }

  // Its topic was created again, and mirroring of the new one ended at 12. Its owner wrote up to 40.
  private def again(once: ScriptedClusters => Unit) =
    start(new InMemoryDecisionStore, mirror(40, "T10")._2, line = 12, settling = settling)(once)

  test("control: a line counts for a topic that was created again") {
    assertEquals(again(_ => ()), Vector("new orders 0 12-40"))
  }
  test("so it does if one answer still has the id of the earlier topic")(assertEquals(
    again(_.once("new", mirror(30)._2)),
    Vector("new orders 0 12-40")
  ))
  test("so it does if one answer leaves the topic out")(assertEquals(
    again(_.once("new", answer("orders" -> absent).of("K2"))),
    Vector("new orders 0 12-40")
  ))
}
