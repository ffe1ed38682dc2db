package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation
import io.github.dynamickafka.spark.topology.Topology

/** A cluster is renamed, and the first answer under its new name is from a broker that does not have the topic (yet, or any
  * more). What was not begun begins by the old id's rule all the same.
  */
class RuleMovesAbsentSuite extends FunSuite with UnledLog {
  private def now(seen: TopicObservation) = "new" -> answer("orders" -> seen).of("K1")
  private val led                         = has(0 -> 10, 0 -> 10).of("T1")

  for ((which, query) <- Seq("its own offsets" -> begun, "the query's" -> named)) {
    test(s"control: by $which, the first answer leaves the partition out") {
      val taken = query.sees(moved)(now(has(0 -> 10).of("T1"))).read
      assertEquals(taken.sees(moved)(now(led)).ranges, Vector("new orders 1 7-10"))
    }

    test(s"by $which, one stale answer does not have the topic") {
      val taken = query.sees(moved)(now(absent)).read
      assertEquals(taken.sees(moved)(now(led)).ranges, Vector("new orders 1 7-10"))
    }

    test(s"by $which, the new id is down, then one stale answer does not have the topic") {
      val taken = query.sees(moved)("new" -> down).read.sees(moved)(now(absent)).read
      assertEquals(taken.sees(moved)(now(led)).ranges, Vector("new orders 1 7-10"))
    }

    test(s"by $which, one stale answer, and the rename is rolled back") {
      val taken = query.sees(moved)(now(absent)).read
      val back  = taken.sees(old)("eu" -> answer("orders" -> led).of("K1"))
      assertEquals(back.ranges, Vector("eu orders 1 7-10"))
    }
  }

  // Brokers that give topics no id.
  private val lax   = fromEarliest.copy(failOnDataLoss = false)
  private val gone  = "eu" -> answer("orders" -> absent).of("K1")
  private val waits = {
    val read = Query(lax).sees(old)("eu" -> answer("orders" -> has(0 -> 10)).of("K1")).read
    read.sees(old)(gone).read.after(lax.agreement).sees(old)(gone).read
  }
  private val latest = listed("new" -> next.startingAt("""{"orders":"latest"}"""))

  test("control: a topic without an id is deleted, its cluster renamed, and the topic is there by then") {
    val back = waits.after(Duration.ofMinutes(1)).sees(latest)(now(has(0 -> 30)))
    assertEquals(back.ranges, Vector("new orders 0 0-30"))
  }

  test("a topic without an id is deleted, its cluster renamed, and the topic is created after that") {
    val taken = waits.after(Duration.ofMinutes(1)).sees(latest)(now(absent)).read
    val back  = taken.after(Duration.ofMinutes(1)).sees(latest)(now(has(0 -> 30)))
    assertEquals(back.ranges, Vector("new orders 0 0-30"))
  }

  test("the same, where it is created days later") {
    val taken = waits.after(Duration.ofMinutes(1)).sees(latest)(now(absent)).read
    val still = taken.after(Duration.ofDays(1)).sees(latest)(now(absent)).read
    val back  = still.after(Duration.ofMinutes(1)).sees(latest)(now(has(0 -> 30)))
    assertEquals(back.ranges, Vector("new orders 0 0-30"))
  }

  // Other things that must go over.
  test("ends go over with their text") {
    def ending(id: String) = listed(id -> (if (id == "new") next else orders).endingAt("latest"))
    val read  = Query(skipping).sees(ending("eu"))("eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1")).read
    val taken = read.sees(ending("new"))("new" -> down).read.sees(ending("new"))(now(absent)).read
    assertEquals(taken.sees(ending("new"))(now(has(0 -> 20).of("T1"))).ranges, Vector.empty)
  }

  test("so they do while the new id is down, and the text of the old id stays") {
    def ending(id: String) = listed(id -> (if (id == "new") next else orders).endingAt("latest"))
    val read  = Query(skipping).sees(ending("eu"))("eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1")).read
    val taken = read.sees(ending("new"))("new" -> down).read
    assertEquals(taken.sees(ending("new"))(now(has(0 -> 20).of("T1"))).ranges, Vector.empty)
  }

  test("a flap: stale answer under the new name, then the old one alone, then the new one") {
    val q0 = Query(skipping).sees(old)(eu(10)).read.sees(moved)(now(absent)).read
    val q1 = q0.sees(old)(eu(12))
    assertEquals(q1.ranges, Vector("eu orders 0 10-12"))
    val q2 = q1.read.sees(moved)(now(absent)).read.sees(moved)(now(has(0 -> 14).of("T1")))
    assertEquals(q2.ranges, Vector("new orders 0 12-14"))
  }

  // Partition 0 is read to its end, nobody led partition 1, and the topic is deleted.
  private def endingAt10(id: String) =
    listed(id -> (if (id == "new") next else orders).endingAt("""{"orders":{"0":10}}"""))
  private val half = Query(skipping).sees(endingAt10("eu"))(unled).read

  test("control: a topic is deleted of which a partition was read to its end, and another one never begun") {
    val first = half.sees(endingAt10("eu"))(gone).read
    val seen  = first.after(skipping.agreement).sees(endingAt10("eu"))(gone)
    assertEquals(
      seen.outcome.swap.toOption.map(_.condition),
      Some(Condition.DataLoss: Condition),
      seen.outcome.toString
    )
  }

  test("the same after a rename") {
    val first = half.sees(endingAt10("new"))(now(absent)).read
    val seen  = first.after(skipping.agreement).sees(endingAt10("new"))(now(absent))
    assertEquals(
      seen.outcome.swap.toOption.map(_.condition),
      Some(Condition.DataLoss: Condition),
      seen.outcome.toString
    )
  }

  test("a partition that nobody led drains by its rule, though a stale answer came under the new name") {
    val taken = begun.sees(moved)(now(absent)).read
    val seen  = taken.sees(Topology.empty)(now(led))
    assertEquals(seen.ranges, Vector("new orders 1 7-10"))
  }

  // Plain `earliest`, brokers with ids.
  private val plain                       = Query(skipping).sees(old)(unled).read
  private def one(id: String, ends: Int*) = id -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")
  private def drained(moved: Query): Vector[String] = {
    val less = moved.sees(Topology.empty)(one("new", 12)).read
    val seen = less.sees(Topology.empty)(one("new", 12, 9)).read
    ranges(moved.held, seen.held)
  }

  test(
    "control: a partition that nobody led drains after a rename, though the first answer after the removal leaves it out"
  ) {
    assertEquals(
      drained(plain.sees(moved)(now(has(0 -> 10).of("T1"))).read),
      Vector("new orders 0 10-12", "new orders 1 0-9")
    )
  }

  test("the same, where the first answer under the new name was stale") {
    assertEquals(drained(plain.sees(moved)(now(absent)).read), Vector("new orders 0 10-12", "new orders 1 0-9"))
  }

  private val ends                                           = orders.endingAt("latest")
  private val renamed                                        = listed("new" -> next.endingAt("latest"))
  private def ended(first: TopicObservation): Vector[String] = {
    val begun = Query(skipping).sees(listed("eu" -> ends))(unled).read
    val taken = begun.sees(renamed)(now(first)).read
    val seen  = taken.sees(renamed)(one("new", 12, 9)).read
    ranges(begun.held, seen.sees(renamed)(one("new", 12, 9)).read.held)
  }

  test("control: a cluster is not over after a rename while nobody led a partition") {
    assertEquals(ended(has(0 -> 12).of("T1").leaderless(1)), Vector("new orders 1 0-9"))
  }

  test("nor is it where the first answer under the new name was stale") {
    assertEquals(ended(absent), Vector("new orders 1 0-9"))
  }

  test("renamed twice, with stale answers") {
    val twice = listed("newer" -> orders.continuing("new", "eu"))
    val seen  = Query(skipping).sees(old)(eu(10)).read.sees(moved)(now(absent)).read
      .sees(twice)("newer" -> answer("orders" -> absent).of("K1")).read
    assertEquals(seen.sees(twice)(one("newer", 14)).ranges, Vector("newer orders 0 10-14"))
  }

  // Brokers without ids of topics. The topic was off the list, and the first answer after that is short.
  private val off = Query(skipping.copy(removal = stopping.removal))
    .sees(listed("eu" -> orders.startingAt("""{"orders":{"1":7}}""")))(plainly("eu", has(0 -> 10).leaderless(1))).read
    .sees(Topology.empty)(plainly("eu", has(0 -> 10).leaderless(1))).read

  private def plainly(id: String, seen: TopicObservation) = id -> answer("orders" -> seen).of("K1")

  for ((id, topology) <- Seq("eu" -> old, "new" -> moved))
    test(s"so does what was off the list, and comes back under the name $id") {
      val short = off.sees(topology)(plainly(id, has(0 -> 5).leaderless(1))).read
      val again = short.sees(topology)(plainly(id, has(0 -> 10, 0 -> 10))).read
      val seen  = again.after(skipping.agreement).sees(topology)(plainly(id, has(0 -> 10, 0 -> 10))).read
      assertEquals(ranges(off.held, seen.held), Vector(s"$id orders 1 7-10"))
    }
}
