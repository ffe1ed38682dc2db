package io.github.dynamickafka.spark.driver.trigger

import java.time.{Clock, Duration, Instant}

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** A topic was deleted, and created again, while it was not read. The first broker that answers once it is read again was
  * frozen before that. So it answers with the id that the query knows.
  */
class StaleKnownIdSuite extends FunSuite with StepScenes {
  private val names                          = topics("orders")
  private def kafka(topic: String, end: Int) = answer("orders" -> has(0 -> end).of(topic)).of("K")
  private val eu                             = listed("eu" -> names)
  private val none                           = listed("eu" -> topics())
  private val min                            = Duration.ofMinutes(1)
  private val quick = fromEarliest.copy(agreement = Duration.ofMillis(500), settling = Duration.ofSeconds(2))
  // Read up to 10, removed, drained.
  private val off = Query(fromEarliest).sees(eu)("eu" -> kafka("T1", 10)).read.after(min)
    .sees(none)("eu" -> kafka("T1", 10)).read.held

  /** Only one request gets the first answer. */
  private class Frozen(id: String, first: ClusterObservation, later: ClusterObservation) extends ScriptedClusters {
    now(id, first)

    override def observing(cluster: ClusterId, topics: Set[String], waitMode: WaitMode) = {
      val answer = super.observing(cluster, topics, waitMode)
      now(id, later)
      answer
    }
  }

  /** What is read after each of these answers, and how the query ends, if it does. */
  private def reads(from: SourceOffset, list: Topology, id: String, lossy: Boolean = false)(
      first: ClusterObservation,
      later: ClusterObservation
  ): Vector[String] = {
    val clusters = new Frozen(id, first, later)
    val clock    = Clock.offset(Clock.systemUTC, Duration.between(Instant.now, begin.plus(Duration.ofHours(1))))
    val opened   = new OpenedDriver(quick.copy(failOnDataLoss = !lossy), clusters, () => list, clock = clock)
    try (1 to 6).foldLeft(from -> Vector.empty[String]) { case ((at, read), _) =>
        val next = OffsetJson.read(OffsetJson.write(opened.driver.latest(at, ReadLimits.everything)))
        opened.driver.committed(next)
        opened.asks.rest(Duration.ofMillis(200))
        next -> (read ++ ranges(at, next))
      }._2
    catch { case e: DynamicKafkaException => Vector(e.getMessage.take(110)) }
    finally opened.driver.close()
  }

  private val deleted = answer("orders" -> absent).of("K")

  test("a removed topic was created again, and is listed again") {
    assertEquals(reads(off, eu, "eu")(kafka("T1", 10), kafka("T2", 7)), Vector("eu orders 0 0-7"))
  }

  test("a removed topic was deleted, and is listed again: that is no loss") {
    assertEquals(reads(off, eu, "eu")(kafka("T1", 10), deleted), Vector.empty[String])
  }

  test("a removed topic was created again, and is listed under another id of its Kafka cluster") {
    val renamed = listed("eu2" -> names.continuing("eu"))
    assertEquals(reads(off, renamed, "eu2")(kafka("T1", 10), kafka("T2", 7)), Vector("eu2 orders 0 0-7"))
  }

  for (lossy <- Seq(false, true))
    test(s"a fail-back to a cluster whose topic was created again as a mirror; loss allowed: $lossy") {
      def old(topic: String, end: Int) = answer("orders" -> has(0 -> end).of(topic)).of("K1")
      val us                           = "us" -> answer("orders" -> has(0 -> 20).of("M")).of("K2")
      val moved                        = names.continuing("eu")
      val beside                       = listed("us" -> moved, "eu" -> names)
      val home = Query(fromEarliest).sees(eu)("eu" -> old("T1", 10)).read.sees(listed("us" -> moved))(us).read
        .sees(beside)(us, "eu" -> old("T2", 20)).read.held
      assertEquals(reads(home, eu, "eu", lossy)(old("T1", 20), old("T2", 22)), Vector("eu orders 0 20-22"))
    }
}
