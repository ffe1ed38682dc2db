package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** A partition that only a joined id had comes on the one that reads. */
class JoinedPartitionSuite extends FunSuite with MovingLog {
  private def k1(id: String, ends: Int*): (String, ClusterObservation) =
    id -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")

  // A partition that only the joined id had comes on the reader, whose log had moved before.
  private def wider(moves: Boolean, fails: Boolean): Query = {
    val rules = fromEarliest.copy(failOnDataLoss = fails)
    val one   =
      if (moves) Query(rules).sees(listed("eu0" -> orders))(k1("eu0", 5)).read
        .sees(listed("eu" -> orders.continuing("eu0")))(eu(7)).read
      else Query(rules).sees(old)(eu(7)).read
    one.sees(listed("eu" -> orders, "new" -> orders))(eu(12), mirror(11, 50)).read.sees(both)(
      eu(12),
      mirror(12, 50)
    ).read
  }
  for (moves <- Seq(false, true)) {
    test(s"a partition that comes later on the one that reads is not cut off, moved before=$moves") {
      val seen = wider(moves, fails = true).sees(both)(eu(14, 40), mirror(14, 60)).read.after(Duration.ofMinutes(1))
        .sees(both)(eu(14, 40), mirror(14, 60))
      assert(seen.outcome.isRight)
    }
    test(s"nor read twice, moved before=$moves") {
      val cut = wider(moves, fails = false).sees(both)(eu(14, 40), mirror(14, 60)).read.after(Duration.ofMinutes(1))
        .sees(both)(eu(14, 40), mirror(14, 60)).read
      val seen = cut.sees(both)(eu(14, 55), mirror(14, 60))
      assertEquals(seen.ranges, Vector("eu orders 1 50-55"))
    }
  }

  // Both ids are the same Kafka cluster, and the topic was created again while only the second one was listed.
  private def again(joining: ClusterObservation): Vector[String] = {
    def k1(topicId: String, zero: Int) = answer("orders" -> has(0 -> zero, 0 -> 5).of(topicId)).of("K1")
    val first                          = answer("orders" -> has(0 -> 3).of("T1")).of("K1")
    val second                         = answer("orders" -> only(1 -> (0 -> 5)).of("T2").leaderless(0)).of("K1")
    val after                          = listed("us" -> orders.continuing("eu"))
    Query(skipping).sees(listed("eu" -> orders))("eu" -> first).read
      .sees(listed("us" -> orders))("us" -> second).read
      .sees(after)("us" -> joining).read.after(Duration.ofMinutes(1))
      .sees(after)("us" -> k1("T2", 8)).ranges
  }
  test("control: an answer shows that the topic was created again: all of it is read") {
    assertEquals(
      again(answer("orders" -> only(1 -> (0 -> 5)).of("T2").leaderless(0)).of("K1")),
      Vector("us orders 0 0-8")
    )
  }
  test("a position of the earlier topic does not go on as one of the new topic, whatever is answered then") {
    assertEquals(again(answer("orders" -> hidden).of("K1")), Vector("us orders 0 0-8"))
  }
}
