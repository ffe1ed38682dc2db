package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.reconcile.succession.Role
import io.github.dynamickafka.spark.topology.Topology

/** Ids that continue each other are, for a topic, one log with one position. Here the new id is another Kafka cluster that
  * holds the same records at the same offsets, unless a test says otherwise.
  */
class SuccessionSuite extends FunSuite with MovingLog {
  private def rename(ends: Int*) = "new" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")

  test("a cluster that continues a listed one stands by: it is asked and not read") {
    val seen = query.sees(both)(eu(12, 10), mirror(12, 10))
    assertEquals(seen.ranges, Vector("eu orders 0 10-12"))
    assertEquals(seen.step.roles.of(ClusterId("new"), "orders"), Role.Standby(ClusterId("eu")))
    assert(seen.step.roles.standsBy(ClusterId("new")))
    assert(new OffsetQuestions(StepBasis(seen.query.held, both), fromEarliest).topics.contains(ClusterId("new")))
  }

  test("a standby that does not answer fails nothing") {
    val seen = query.sees(both)(eu(12, 10))
    assertEquals(seen.ranges, Vector("eu orders 0 10-12"))
  }

  test("the one that still lists the topic goes on at the position, in a new incarnation, and nothing drains") {
    val seen = query.sees(both)(eu(12, 10), mirror(12, 10)).read.sees(moved)(eu(99, 99), mirror(15, 10))
    assert(seen.urgent)
    assertEquals(seen.positions, Vector("new orders 0 [12,15,1]", "new orders 1 [10,10,1]"))
    assertEquals(seen.ranges, Vector("new orders 0 12-15"))
    assert(
      !new OffsetQuestions(StepBasis(query.held, moved), fromEarliest).topics.contains(ClusterId("eu")),
      "it is not even asked"
    )
  }

  test("a hand-over is logged when it happens, not while it is waited for, and once") {
    val waiting = query.under(_.copy(unavailable = skipping.unavailable)).sees(moved)()
    assertEquals(waiting.events, Vector.empty)
    val seen = waiting.read.sees(moved)(mirror(12, 10))
    assertEquals(seen.events.map(_.toString).filter(_.contains("of=")), Vector("cluster=new of=eu topic=orders"))
    assertEquals(seen.read.sees(moved)(mirror(12, 10)).events, Vector.empty)
  }

  test("the position is handed over whatever removedClusterPolicy says, and without a time as standby") {
    val stopped = Query(stopping).sees(old)(eu(10, 10)).read.sees(moved)(mirror(15, 10))
    assertEquals(stopped.ranges, Vector("new orders 0 10-15"))
  }

  test("until the successor answers, the position stays under the old id, and the query waits under skip") {
    val waiting = query.under(_.copy(unavailable = skipping.unavailable)).sees(moved)(eu(99, 99))
    assertEquals(waiting.read.held.clusters(ClusterId("eu")).topics, query.held.clusters(ClusterId("eu")).topics)
    val later = waiting.read.after(Duration.ofDays(60)).sees(moved)(mirror(12, 10))
    assertEquals(later.ranges, Vector("new orders 0 10-12"), "however long that takes")
  }

  test("a position whose drain had begun is handed over as well") {
    val drains = query.sees(Topology.empty)(eu(20, 10)).readSome(_.map { case (id, _) => id -> 13L })
    val seen   = drains.sees(moved)(eu(20, 10), mirror(25, 10))
    assertEquals(seen.ranges, Vector("new orders 0 13-25"))
    assertEquals(seen.read.sees(moved)(eu(20, 10), mirror(25, 10)).ranges, Vector.empty)
  }

  test("a file that is rolled back needs no line: the old id goes on where the new one was read to") {
    val ahead = query.sees(moved)(mirror(15, 10)).read
    val back  = ahead.sees(old)(eu(20, 10))
    assertEquals(back.positions, Vector("eu orders 0 [15,20,2]", "eu orders 1 [10,10,2]"))
    val again = back.read.sees(moved)(mirror(22, 10))
    assertEquals(again.ranges, Vector("new orders 0 20-22"))
  }

  test("after a move back the new id stands by; while both are listed, the id that reads goes on") {
    val ahead = query.sees(moved)(mirror(15, 10)).read
    val seen  = ahead.sees(both)(eu(20, 10), mirror(18, 10))
    assertEquals(seen.ranges, Vector("new orders 0 15-18"))
    assertEquals(seen.step.roles.of(ClusterId("eu"), "orders"), Role.Standby(ClusterId("new")))
  }

  test("a list that flaps hands the position to and fro, and no record is read twice") {
    val (read, _) = (1 to 6).foldLeft((Vector.empty[String], query)) { case ((all, at), n) =>
      val seen =
        if (n % 2 == 0) at.sees(old)(eu(10 + n, 10), mirror(10 + n, 10))
        else at.sees(moved)(eu(10 + n, 10), mirror(10 + n, 10))
      (all ++ seen.ranges, seen.read)
    }
    assertEquals(
      read,
      (1 to 6).toVector.map(n => s"${if (n % 2 == 0) "eu" else "new"} orders 0 ${9 + n}-${10 + n}")
    )
  }

  test("a new query reads the one that continues no other listed one, and a batch too") {
    val seen = Query(fromEarliest).sees(both)(eu(10), mirror(10))
    assertEquals(seen.ranges, Vector("eu orders 0 0-10"))
    val alone = Query(fromEarliest).sees(moved)(mirror(10))
    assertEquals(
      alone.ranges,
      Vector("new orders 0 0-10"),
      "where nothing is held of the old id, the line means nothing"
    )
  }

  test("of a chain the next one takes over, and the last stands by") {
    val last  = orders.continuing("eu", "new")
    val chain =
      query.sees(listed("new" -> next, "newer" -> last))(mirror(12, 10), "newer" -> mirror(12, 10)._2.of("K3"))
    assertEquals(chain.ranges, Vector("new orders 0 10-12"))
    val skipped = chain.read.sees(listed("newer" -> last))("newer" -> mirror(14, 10)._2.of("K3"))
    assertEquals(skipped.ranges, Vector("newer orders 0 12-14"))
    assertEquals(skipped.read.sees(old)(eu(16, 10)).ranges, Vector("eu orders 0 14-16"))
  }

  test("a partition that the old id did not have begins at earliest, whatever newClusterOffsets says") {
    val latest = query.under(_.copy(newCluster = rule("latest")))
    val seen   = latest.sees(moved)(mirror(12, 10, 7))
    assertEquals(seen.ranges, Vector("new orders 0 10-12", "new orders 2 0-7"))
  }

  test("topics that the old id does not list are the new id's own") {
    val more = topics("orders", "refunds").continuing("eu")
    val two  = "new" -> answer("orders" -> has(0 -> 10, 0 -> 10).of("T9"), "refunds" -> has(0 -> 4).of("T8")).of("K2")
    val seen = query.sees(listed("eu" -> orders, "new" -> more))(eu(12, 10), two)
    assertEquals(seen.ranges, Vector("eu orders 0 10-12", "new refunds 0 0-4"))
  }

  test("what the old id never began begins by its rule, as of its first listing") {
    val pending = Query(skipping.copy(starting = rule("latest"))).sees(old)().read.after(Duration.ofHours(1))
    val since   = begin.toEpochMilli
    val seen = pending.sees(moved, { case Question(_, point) if point.toString.contains(since.toString) => Some(7L) })(
      mirror(12)
    )
    assertEquals(seen.ranges, Vector("new orders 0 7-12"))
    val silent = pending.sees(moved)().read
    assertEquals(silent.held.clusters(ClusterId("new")).pending, pending.held.clusters(ClusterId("eu")).pending)
    assertEquals(silent.sees(moved)().notices.collect { case never: Notice.NeverReached => never }, Vector.empty)
  }

  test("a topic that the old id never had begins at earliest, and belongs to both ids from then on") {
    val none   = "eu"  -> answer("orders" -> has(0 -> 10, 0 -> 10).of("T1"), "refunds" -> absent).of("K1")
    val names  = topics("orders", "refunds")
    val latest = Query(fromEarliest.copy(newCluster = rule("latest"))).sees(listed("eu" -> names))(none).read
    val two    = "new" -> answer("orders" -> has(0 -> 10, 0 -> 10).of("T9"), "refunds" -> has(0 -> 4).of("T8")).of("K2")
    val moves  = latest.sees(listed("new" -> names.continuing("eu")))(two)
    assertEquals(moves.ranges, Vector("new refunds 0 0-4"))
    val back = "eu" -> answer("orders" -> has(0 -> 10, 0 -> 10).of("T1"), "refunds" -> has(0 -> 6).of("T2")).of("K1")
    assertEquals(moves.read.sees(listed("eu" -> names))(back).ranges, Vector("eu refunds 0 4-6"))
  }

  test("a new query with both names of one Kafka cluster reads it once, whichever sorts first") {
    val first = listed("eu" -> orders, "a" -> next)
    val seen  = Query(fromEarliest).sees(first)(eu(10), "a" -> eu(10)._2)
    assertEquals(seen.ranges, Vector("eu orders 0 0-10"))
    assertEquals(seen.notices, Vector.empty)
  }

  test("a successor whose topic another id reads, though nobody declared it, takes nothing over") {
    val three = listed("eu" -> orders, "other" -> orders)
    val reads = query.sees(three)(eu(12, 10), "other" -> mirror(12, 10)._2).read
    val seen  = reads.sees(listed("new" -> next, "other" -> orders))(mirror(14, 10), "other" -> mirror(14, 10)._2)
    assertEquals(seen.ranges, Vector("other orders 0 12-14"))
    assertEquals(seen.notices.collect { case twice: Notice.Duplicate => twice.of.value }, Vector("other"))
  }

  test("a rename is the same Kafka cluster under a new id: no mirror, so that nothing can be behind") {
    val seen = query.sees(moved)(rename(15, 10))
    assertEquals(seen.ranges, Vector("new orders 0 10-15"))
    assertEquals(seen.notices, Vector.empty)
    val back = seen.read.sees(listed("eu" -> orders))(eu(18, 10))
    assertEquals(back.ranges, Vector("eu orders 0 15-18"))
  }

  test("a topic that was created again under its new id is loss, as under its old one") {
    val another = "new" -> answer("orders" -> has(0 -> 3, 0 -> 3).of("T2")).of("K1")
    assertEquals(query.sees(moved)(another).failure.condition, Condition.TopicRecreated)
    val lenient = query.under(_.copy(failOnDataLoss = false)).sees(moved)(another)
    assertEquals(lenient.ranges, Vector("new orders 0 0-3", "new orders 1 0-3"))
  }

  test("what an id that was removed still drains belongs to the log that the listed id reads, once the line comes") {
    val apart  = query.sees(listed("eu" -> orders, "new" -> orders))(eu(12, 10), mirror(12, 10)).read
    val drains = apart.sees(listed("new" -> orders))(eu(20, 10), mirror(12, 10)).readSome(_ => Map.empty)
    val seen   = drains.sees(moved)(eu(20, 10), mirror(20, 10))
    assertEquals(seen.ranges, Vector("new orders 0 12-20"))
    assertEquals(seen.positions.filter(_.startsWith("eu")), Vector.empty)
  }

  test("a start beyond the end of a topic that the old id does not have is waited for, however long that takes") {
    val start = Query(fromEarliest.copy(starting = rule("""{"new": {"bills": {"0": 500}}, "": "earliest"}""")))
    val apart = listed("eu" -> orders, "new" -> topics("bills").continuing("eu"))
    def bills(end: Int) = "new" -> answer("bills" -> has(0 -> end).of("B")).of("K2")
    val steps           = Seq(10, 10, 600)
    val seen = steps.scanLeft(start)((at, end) => at.sees(apart)(eu(10), bills(end)).read.after(Duration.ofMinutes(1)))
    assertEquals(
      seen.map(at => at.held.get(partition("new", "bills", 0)).map(_.next)),
      Seq(None, Some(500L), Some(500L), Some(600L))
    )
  }
}
