package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.plan.ReadLimits

/** What an uncommitted batch reads, by answers that are outdated or of another log. */
class UncommittedAnswersSuite extends FunSuite with StepScenes {
  private val names = topics("orders")
  private val next  = names.continuing("eu")

  private def eu(end: Int)     = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = answer("orders" -> has(0 -> end).of("T9")).of("K2")

  for (strict <- Seq(true, false))
    test(
      s"a broker that is behind, while one partition has no leader, takes nothing out of the batch failOnDataLoss=$strict"
    ) {
      def orders(id: String, end: Int) = answer("orders" -> has(0 -> end, 0 -> end).of(id)).of("K1")
      val here0                        = listed("eu" -> topics("orders"))
      val read10                       = Query(fromEarliest).sees(here0)("eu" -> orders("T2", 10)).read
      val until20                      = read10.sees(here0)("eu" -> orders("T2", 20)).read.held
      val kafka                        = new ScriptedClusters
      kafka.now("eu", answer("orders" -> only(0 -> (0 -> 20)).of("T1").leaderless(1)).of("K1"))
      kafka.wakesAfter(Duration.ofMillis(100), "eu", orders("T2", 20))()
      val policy = fromEarliest.copy(agreement = Duration.ofMillis(300), failOnDataLoss = strict)
      val here   = new OpenedDriver(policy, kafka, () => here0).driver
      try
        assertEquals(
          here.plan(read10.held, until20).map(range => (range.id.partition, range.from, range.until)),
          Vector((0, 10L, 20L), (1, 10L, 20L)),
          kafka.asked
        )
      finally here.close()
    }

  test("an id that only stood by, listed apart again, does not stand in") {
    val over  = Query(skipping).sees(listed("new" -> next))("new" -> mirror(12)).read
    val stood = over.sees(listed("eu" -> names, "new" -> next))("eu" -> eu(14), "new" -> mirror(14)).read
    val end   = stood.sees(listed("eu" -> names, "new" -> next))("eu" -> eu(16), "new" -> mirror(16)).read.held
    val apart = listed("eu" -> names, "new" -> names)
    val kafka = new ScriptedClusters
    kafka.now("eu", eu(20))
    kafka.now("new", down)
    val opened = new OpenedDriver(skipping.copy(agreement = Duration.ofMillis(300)), kafka, () => apart)
    try {
      val planned = opened.driver.plan(stood.held, end)
      val from    = planned.map(range => range.id.cluster.value -> opened.driver.kafkaIdsOfBatch(range.id.cluster))
      val later   = ranges(end, opened.driver.latest(end, ReadLimits.everything))
      assertEquals(from -> later, Vector("new" -> "K2") -> Vector("eu orders 0 0-20"))
    } finally opened.driver.close()
  }
}
