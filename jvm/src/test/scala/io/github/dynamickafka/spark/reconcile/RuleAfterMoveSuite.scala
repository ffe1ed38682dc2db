package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** Nobody leads a partition when its log moves to another id. It begins by the rule of the old one. */
class RuleAfterMoveSuite extends FunSuite with UnledLog {
  private val led = has(0 -> 10, 0 -> 10)

  for {
    (how, topic, kafka) <- Seq(("a mirror", "T9", "K2"), ("a rename", "T1", "K1"))
    (when, first)       <- Seq[(String, Present)](
      "led by then"            -> led,
      "led later"              -> has(0 -> 10).leaderless(1),
      "left out of its answer" -> has(0 -> 10)
    )
  } test(s"$how, where it is $when") {
    def now(seen: Present) = "new" -> answer("orders" -> seen.of(topic)).of(kafka)
    for (query <- Seq(begun, named)) {
      val taken = query.after(Duration.ofMinutes(1)).sees(moved)(now(first)).read
      val later = taken.after(Duration.ofMinutes(1)).sees(moved)(now(led)).read
      assertEquals(later.held.get(partition("new", "orders", 1)).map(at => at.start -> at.next), Some(7L -> 10L))
    }
  }
}
