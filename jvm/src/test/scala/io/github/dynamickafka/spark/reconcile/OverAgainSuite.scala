package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** A cluster whose part of the query is over is left out by a fetch, and listed again with the same ends. */
class OverAgainSuite extends FunSuite {
  private def said(topic: String, ends: Int*) =
    "eu" -> answer("orders" -> has(ends.map(0 -> _): _*).of(topic)).of("K1")

  for (text <- Seq("latest", """{"orders": "latest"}""", """{"orders": {"0": 8, "*": "latest"}}""")) {
    val ends = listed("eu" -> topics("orders").endingAt(text))
    val over = Query(fromEarliest).sees(ends)(said("T1", 8)).read
    test(s"off the list, its topic is deleted and created again: what the new one has is read, $text") {
      val off  = over.sees(Topology.empty)(said("T1", 8)).read
      val back = off.sees(ends)(said("T2", 5))
      assertEquals(over.held.partitions.map(_._2.next).toVector, Vector(8L))
      assertEquals(back.ranges, Vector("eu orders 0 0-5"))
    }
  }

  test("it is no loss either if the end is raised once the cluster is back, though it was out of reach at first") {
    def ends(at: Int) = listed("eu" -> topics("orders").endingAt(s"""{"orders": {"0": $at, "*": "latest"}}"""))
    val off           = Query(fromEarliest).sees(ends(8))(said("T1", 8)).read.sees(Topology.empty)(said("T1", 8)).read
    val back          = off.sees(ends(8))("eu" -> down).read.after(Duration.ofDays(1))
    val seen          = back.sees(ends(30))(said("T2", 5))
    assert(seen.outcome.isRight, seen.outcome.toString)
    assertEquals(seen.ranges, Vector("eu orders 0 0-5"))
  }

  // Partition 1 was added meanwhile, and its broker is away.
  private val unled = "eu" -> answer("orders" -> has(0 -> 8).of("T1").leaderless(1)).of("K1")

  for {
    (then, answers) <- Seq(
      "reports it without a leader"         -> Seq(unled),
      "leaves it out"                       -> Seq(said("T1", 8)),
      "is out of reach, and then leaves it" -> Seq("eu" -> down, said("T1", 8))
    )
  } test(s"a partition that nobody led while it drained is read, though its cluster $then") {
    val ends = listed("eu" -> topics("orders").endingAt("latest"))
    val some = Query(skipping).sees(ends)(said("T1", 8)).readSome(_.map { case (id, _) => id -> 3L })
    val off  = some.sees(Topology.empty)(unled).read.sees(Topology.empty)(unled).read
    val back = answers.foldLeft(off)((query, answer) => query.sees(ends)(answer).read)
    val all  = back.sees(ends)(said("T1", 8, 6))
    assertEquals(off.held.partitions.map(_._2.next).toVector, Vector(8L))
    assertEquals(all.ranges, Vector("eu orders 1 0-6"))
  }
}
