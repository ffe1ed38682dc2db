package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** A topic that was created again, and brokers that do not know it yet: they answer with the earlier topic's id. */
class CreatedAgainSuite extends FunSuite with StepScenes {
  private val eu                           = listed("eu" -> topics("orders"))
  private def orders(id: String, end: Int) = answer("orders" -> has(0 -> end).of(id)).of("K1")
  private val held                         = Query(fromEarliest).sees(eu)("eu" -> orders("T2", 10)).read.held
  private val everything                   = ReadLimits.everything
  private def allowing(loss: Boolean)      = fromEarliest.copy(failOnDataLoss = !loss)
  private def after(ms: Long, kafka: ScriptedClusters, end: Int): Unit =
    kafka.wakesAfter(Duration.ofMillis(ms), "eu", orders("T2", end))()

  for (loss <- Seq(false, true); frozen <- Seq(false, true))
    test(s"an answer of a broker that is behind counts for nothing, loss allowed: $loss, frozen: $frozen") {
      val kafka = new ScriptedClusters
      kafka.now("eu", orders("T1", 20))
      after(200, kafka, end = 15)
      val here = new OpenedDriver(allowing(loss), kafka, () => eu).driver
      try {
        if (frozen) here.freeze()
        assertEquals(ranges(held, here.latest(held, everything)), Vector("eu orders 0 10-15"))
      } finally here.close()
    }

  test("what all answers agree on counts, and is waited for once") {
    val kafka = new ScriptedClusters
    kafka.now("eu", orders("T3", 5))
    val strict = new OpenedDriver(allowing(loss = false), kafka, () => eu).driver
    try {
      def failure() = intercept[DynamicKafkaException](strict.latest(held, everything)).condition
      assertEquals(failure(), Condition.TopicRecreated: Condition)
      val began = System.nanoTime
      assertEquals(failure(), Condition.TopicRecreated: Condition)
      assert(System.nanoTime - began < Duration.ofSeconds(1).toNanos)
    } finally strict.close()
    val lax = new OpenedDriver(allowing(loss = true), kafka, () => eu).driver
    try {
      val next: SourceOffset = lax.latest(held, everything)
      assertEquals(ranges(held, next), Vector("eu orders 0 0-5"))
    } finally lax.close()
  }

  for (loss <- Seq(false, true))
    test(s"an answer counts once, however long the next one takes, loss allowed: $loss") {
      val count = new AtomicInteger
      val later = CompletableFuture.delayedExecutor(2500, TimeUnit.MILLISECONDS, (task: Runnable) => task.run())
      val slow  = new ScriptedClusters {
        override def observing(cluster: ClusterId, topics: Set[String], waitMode: WaitMode) = {
          val behind = count.incrementAndGet() == 2
          CompletableFuture.supplyAsync[ClusterObservation](
            () => if (behind) orders("T1", 20) else orders("T2", 15),
            later
          )
        }
      }
      val here = new OpenedDriver(skipping.copy(failOnDataLoss = !loss), slow, () => eu)
      try {
        var at   = held
        var read = Vector.empty[String]
        while (count.get <= 4) {
          val next = here.driver.latest(at, everything)
          read = read ++ ranges(at, next)
          at = next
          here.asks.rest(Duration.ofMillis(50))
        }
        assertEquals(
          read                        -> at.topic(ClusterId("eu"), "orders").flatMap(_.kafkaId),
          Vector("eu orders 0 10-15") -> Some("T2")
        )
      } finally here.driver.close()
    }
}
