package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** Stories about ids of one log, and about more names of one Kafka cluster, that readers found. */
class MoreNamesSuite extends FunSuite with MovingLog {
  private val apart                       = listed("eu" -> orders, "new" -> orders)
  private def x(end: Int)                 = "x" -> eu(end)._2
  private def x2(end: Int)                = "x" -> mirror(end)._2
  private def duplicates(seen: Seen): Int = seen.notices.count(_.isInstanceOf[Notice.Duplicate])
  private def joined(seen: Seen)          = seen.notices.count(_.isInstanceOf[Notice.Joined])

  // Retention is over, but the id is listed again.
  private def lapsed = Query(fromEarliest).sees(old)(eu(10)).read.sees(Topology.empty)(eu(10)).read
    .after(Duration.ofDays(31))

  test("control: listed again after 31 days without a fetch in between, it resumes")(
    assertEquals(lapsed.sees(old)(eu(12)).ranges, Vector("eu orders 0 10-12"))
  )

  test("so it does where a second name of its Kafka cluster is listed at the same time") {
    val seen = lapsed.sees(listed("eu" -> orders, "x" -> orders))(eu(12), x(12))
    assertEquals((seen.ranges, duplicates(seen)), (Vector("eu orders 0 10-12"), 1))
  }

  test("listed again in time, but down; a second name comes after 30 days") {
    val off  = Query(skipping).sees(old)(eu(10)).read.sees(Topology.empty)(eu(10)).read
    val down = off.after(Duration.ofDays(29)).sees(old)().read
    val seen = down.after(Duration.ofDays(2)).sees(listed("eu" -> orders, "x" -> orders))(x(12))
    assertEquals((seen.ranges, duplicates(seen)), (Vector.empty[String], 1))
  }

  // A standby that was read and is listed, but silent, hidden.
  private val three = listed("eu" -> orders, "new" -> next, "x" -> orders)
  private def over  = Query(skipping).sees(old)(eu(10)).read.sees(both)(eu(12), mirror(12)).read
    .sees(moved)(mirror(12)).read.sees(both)(eu(12), mirror(13)).read

  test("control: a second name of the first cluster, which stands by, is a duplicate") {
    val seen = over.sees(three)(eu(14), mirror(14), x(14))
    assertEquals((seen.ranges, duplicates(seen)), (Vector("new orders 0 13-14"), 1))
  }

  test("so it is where the standby does not answer in this step") {
    val seen = over.sees(three)(mirror(14), x(14))
    assertEquals(seen.ranges, Vector("new orders 0 13-14"))
  }

  test("so it is where the standby may not describe the topic") {
    val seen = over.sees(three)("eu" -> answer("orders" -> hidden).of("K1"), mirror(14), x(14))
    assertEquals(seen.ranges, Vector("new orders 0 13-14"))
  }

  test("so it is where a line joined the standby, and it does not answer in this step") {
    val line = Query(skipping).sees(apart)(eu(12), mirror(11)).read.sees(both)(eu(12), mirror(12)).read
    val seen = line.sees(three)(eu(14), x2(14))
    assertEquals(seen.ranges, Vector("eu orders 0 12-14"))
  }

  // Where mirroring ended lies below the start of the incarnation, and below what was read under the joined id.
  test("where mirroring ended counts for a joined id, too") {
    val from = listed(
      "eu"  -> orders.startingAt("""{"orders":{"0":100}}"""),
      "new" -> orders.startingAt("""{"orders":{"0":95}}""")
    )
    val line = next.startingAt("""{"orders":{"0":90}}""")
    val read = Query(fromEarliest).sees(from)(eu(140), mirror(110)).read
    val join = read.sees(listed("eu" -> orders, "new" -> line))(eu(140), mirror(150)).read
    assertEquals(join.sees(listed("new" -> line))(mirror(160)).ranges, Vector("new orders 0 90-160"))
  }

  // A partition that only the joined id had comes on the reader, mirrored more slowly.
  test("a partition that comes later on the one that reads is not cut off") {
    val wider = Query(fromEarliest).sees(apart)(eu(12), mirror(11, 50)).read.sees(both)(eu(12), mirror(12, 50)).read
    val seen  = wider.sees(both)(eu(14, 40), mirror(14, 60)).read.after(Duration.ofMinutes(1))
      .sees(both)(eu(14, 40), mirror(14, 60))
    assertEquals(seen.outcome.left.map(_.toString).left.toOption, None)
  }

  test("nor read twice under failOnDataLoss=false") {
    val wider = Query(fromEarliest.copy(failOnDataLoss = false)).sees(apart)(eu(12), mirror(11, 50)).read
      .sees(both)(eu(12), mirror(12, 50)).read
    val cut = wider.sees(both)(eu(14, 40), mirror(14, 60)).read.after(Duration.ofMinutes(1))
      .sees(both)(eu(14, 40), mirror(14, 60)).read
    val seen = cut.sees(both)(eu(14, 55), mirror(14, 60))
    assertEquals(seen.ranges, Vector("eu orders 1 50-55"))
  }

  // A stale position of another topic in the step of a join.
  test("the warning of a join and its count come also with a stale position of another topic") {
    def k3(id: String, topic: String) = id -> answer("refunds" -> has(0 -> 5).of(topic)).of("K3")
    val start = Query(fromEarliest).sees(listed("eu" -> orders, "new" -> orders, "a" -> topics("refunds")))(
      eu(12),
      mirror(11),
      k3("a", "R1")
    ).read.sees(apart)(eu(12), mirror(11), k3("a", "R1")).read
    val b    = listed("eu" -> orders, "new" -> orders, "b" -> topics("refunds"))
    val two  = start.sees(b)(eu(12), mirror(11), k3("b", "R2"), k3("a", "R1")).read
    val line = listed("eu" -> orders, "new" -> next, "b" -> topics("refunds"))
    val seen = two.sees(line)(eu(12), mirror(11), k3("b", "R2"))
    assertEquals(joined(seen), 1)
  }

  // StalePositionSuite, where the first id is really not asked.
  private val stops = skipping.copy(removal = skipping.removal.copy(policy = RemovedClusterPolicy.Stop))
  private def kafka(topic: String, end: Int)(id: String) = id -> answer("orders" -> has(0 -> end).of(topic)).of("K")
  private def stale: Query                               = {
    val first = Query(stops).sees(listed("eu" -> orders))(kafka("T1", 3)("eu")).read
    val other = first.sees(listed("us" -> orders))(kafka("T2", 5)("us"))
    assertEquals(other.ranges, Vector("us orders 0 0-5"))
    other.read.after(Duration.ofMinutes(1)).sees(listed("eu" -> orders))().read.after(Duration.ofMinutes(1))
      .sees(Topology.empty)().read.after(Duration.ofMinutes(1))
  }
  for (
    (how, names) <- Seq[(String, Seq[(String, ListedCluster)])](
      "both"     -> Seq("eu" -> orders, "us" -> orders.continuing("eu")),
      "eu alone" -> Seq("eu" -> orders.continuing("us")),
      "us alone" -> Seq("us" -> orders.continuing("eu"))
    )
  ) test(s"a topic created again is not read twice, $how") {
    val seen = stale.sees(listed(names: _*))(names.map(_._1).map(kafka("T2", 9)): _*)
    assertEquals(seen.ranges.map(_.split(" ").last), Vector("5-9"))
  }

  test("control: without a line, us goes on where it was") {
    val seen = stale.sees(listed("us" -> orders))(kafka("T2", 9)("us"))
    assertEquals(seen.ranges, Vector("us orders 0 5-9"))
  }

  // A position that waits for a mirror, while its old Kafka cluster has a new topic under another id.
  test("a position waits for its mirror, though another id of the old cluster reads a new topic of that name") {
    val off    = Query(skipping).sees(old)(eu(12)).read.sees(Topology.empty)(eu(12)).read
    val lists  = listed("new" -> next, "x" -> orders)
    val remade = "x" -> answer("orders" -> has(0 -> 3).of("T2")).of("K1")
    val waits  = off.sees(lists)(remade)
    assertEquals(waits.ranges, Vector("x orders 0 0-3"))
    val more = waits.read.sees(lists)(remade).read
    assertEquals(more.sees(lists)(remade, mirror(14)).ranges, Vector("new orders 0 12-14"))
  }

  test("the same where the mirror is paused") {
    val off    = Query(skipping).sees(old)(eu(12)).read.sees(Topology.empty)(eu(12)).read
    val lists  = listed("new" -> next.paused, "x" -> orders)
    val remade = "x" -> answer("orders" -> has(0 -> 3).of("T2")).of("K1")
    val more   = off.sees(lists)(remade, mirror(12)).read.sees(lists)(remade, mirror(12)).read
    assertEquals(positions(more.held), Vector("eu orders 0 [0,12,0]", "x orders 0 [0,3,0]"))
    assertEquals(
      more.sees(listed("new" -> next, "x" -> orders))(remade, mirror(14)).ranges,
      Vector("new orders 0 12-14")
    )
  }

  test("control: without x the position waits") {
    val off  = Query(skipping).sees(old)(eu(12)).read.sees(Topology.empty)(eu(12)).read
    val more = off.sees(moved)().read.sees(moved)().read
    assertEquals(more.sees(moved)(mirror(14)).ranges, Vector("new orders 0 12-14"))
  }

  test("a second name of a mirror, listed while that was silent, does not hold up its take-over") {
    val stood = Query(skipping).sees(old)(eu(10)).read.sees(both)(eu(12), mirror(12)).read
    val seen  = stood.sees(three)(eu(12), x2(12)).read
    val off   = seen.sees(listed("new" -> next, "x" -> orders))(mirror(16), x2(16))
    assertEquals(off.ranges, Vector("new orders 0 12-16"))
  }

  test("so it is once all three answer again") {
    val seen  = over.sees(three)(mirror(14), x(14)).read
    val later = seen.sees(three)(eu(16), mirror(16), x(16))
    assertEquals((later.ranges, duplicates(later)), (Vector("new orders 0 14-16"), 1))
  }

  // A third id that lacks a partition which only the joined id had, listed with a rename of the reader.
  test("an id of a log is renamed while another one of its log has a partition more") {
    val wider = Query(fromEarliest).sees(apart)(eu(12), mirror(11, 50)).read.sees(both)(eu(12), mirror(12, 50)).read
    val us    = "us" -> eu(14)._2
    val seen  = wider.sees(listed("us" -> orders.continuing("eu")))(us)
    assertEquals(seen.ranges, Vector("us orders 0 12-14"))
    val again = seen.read.sees(listed("new" -> next.continuing("eu", "us")))(mirror(16, 60))
    assertEquals(again.ranges, Vector("new orders 0 14-16", "new orders 1 50-60"))
  }

  // Flap of the whole list in the same step as the line; then retention of the keeper.
  test("a line that comes with the return of both, one of which is down") {
    val read = Query(skipping).sees(apart)(eu(12), mirror(11)).read
    val off  = read.after(Duration.ofMinutes(1)).sees(Topology.empty)(eu(20), mirror(20)).readSome(_ => Map.empty)
    val back = off.after(Duration.ofMinutes(1)).sees(both)(mirror(20))
    assertEquals(back.ranges, Vector.empty[String])
    val two = back.read.after(Duration.ofMinutes(1)).sees(both)(eu(20), mirror(20))
    assertEquals(two.ranges, Vector("eu orders 0 12-20"))
  }

  // A topic that was created again keeps the numbers of its earlier ids.
  private def t2(from: Int, end: Int)           = "eu" -> answer("orders" -> has(from -> end).of("T2")).of("K1")
  private def failedOver(before: Boolean): Seen = {
    val start = Query(skipping.copy(failOnDataLoss = false)).sees(old)(eu(100)).read
    val flown = if (before) start.sees(moved)(mirror(100)).read.sees(old)(eu(100)).read else start
    val anew  = flown.sees(old)(t2(0, 20)).read.sees(old)(t2(27, 30)).read
    val line  = listed("new" -> next.startingAt("""{"orders":{"0":25}}"""))
    anew.sees(line)("new" -> answer("orders" -> has(0 -> 40).of("T10")).of("K2"))
  }
  test("control: where mirroring ended counts where the log has not moved before")(
    assertEquals(failedOver(before = false).ranges, Vector("new orders 0 25-40"))
  )
  test("where mirroring ended counts after a re-creation, though the log had moved before that")(
    assertEquals(failedOver(before = true).ranges, Vector("new orders 0 25-40"))
  )

  // What a mirror had before the re-creation says nothing about the new topic.
  test("the hand-over after a re-creation is not bound to ends of the old topic") {
    val start = Query(skipping.copy(failOnDataLoss = false)).sees(both)(eu(100), mirror(100)).read
    val anew  = start.sees(both)(t2(0, 20), "new" -> answer("orders" -> has(0 -> 20).of("T10")).of("K2")).read
    val seen  = anew.sees(moved)("new" -> answer("orders" -> has(0 -> 25).of("T10")).of("K2"))
    assertEquals(seen.ranges, Vector("new orders 0 20-25"))
  }

  // The rename of an id that stands by, in the same fetch as the take-over.
  test("a mirror is renamed in the fetch in which it takes over") {
    val stood = Query(skipping).sees(old)(eu(10)).read.sees(both)(eu(12), mirror(12)).read
    val seen  = stood.sees(listed("x" -> orders.continuing("eu", "new")))(x2(14))
    assertEquals(seen.ranges, Vector("x orders 0 12-14"))
    val two = stood.sees(listed("new" -> next, "x" -> orders.continuing("eu", "new")))(x2(14), mirror(14))
    assertEquals((two.ranges, duplicates(two)), (Vector("new orders 0 12-14"), 0))
    val lag = stood.sees(listed("new" -> next, "x" -> orders.continuing("eu", "new")))(x2(14))
    assertEquals(lag.ranges, Vector.empty[String])
    assertEquals(
      lag.read.sees(listed("x" -> orders.continuing("eu", "new")))(x2(16)).ranges,
      Vector("x orders 0 12-16")
    )
  }

  // A duplicate of a standby, after the log has moved to a third id.
  test("a second name is a duplicate over moves of the log, and the log goes on") {
    val stood = Query(skipping).sees(old)(eu(10)).read.sees(both)(eu(12), mirror(12)).read
    val dup   = stood.sees(three)(eu(14), mirror(14), x2(14))
    assertEquals(dup.ranges, Vector("eu orders 0 12-14"))
    val taken = dup.read.sees(listed("new" -> next, "x" -> orders))(mirror(16), x2(16))
    assertEquals(taken.ranges, Vector("new orders 0 14-16"))
    val back = taken.read.sees(three)(
      eu(18),
      mirror(18),
      x2(18)
    ).read.sees(listed("eu" -> orders, "x" -> orders))(eu(20), x2(20))
    assertEquals(back.ranges.filter(_.startsWith("eu")), Vector("eu orders 0 18-20"))
  }

  test("the same under unavailableClusterPolicy=fail, where the standby is only late") {
    val seen = over.under(_ => fromEarliest).sees(three)("eu" -> ClusterObservation.Silent(None), mirror(14), x(14))
    assertEquals(seen.ranges, Vector("new orders 0 13-14"))
  }

  test("the Kafka cluster was renamed: its old name stands by") {
    val renamed = "new" -> eu(14)._2
    val read    = Query(skipping).sees(old)(eu(10)).read.sees(both)(eu(12), "new" -> eu(12)._2).read
      .sees(moved)("new" -> eu(12)._2).read.sees(both)(eu(12), "new" -> eu(12)._2).read
    val seen = read.sees(three)(renamed, x(14))
    assertEquals((seen.ranges, duplicates(seen)), (Vector("new orders 0 12-14"), 1))
  }

  test("a rule that named partitions of a deleted topic means nothing for what is created under its name") {
    val rules = skipping.copy(
      starting = rule("""{"eu": {"orders": {"0": 5, "1": 5}}, "": "earliest"}"""),
      removal = skipping.removal.copy(policy = RemovedClusterPolicy.Stop)
    )
    def kafka(id: String, topic: Present*) =
      id -> answer(topic.map("orders" -> _) :+ "bills" -> has(0 -> 1).of("B"): _*).of("K1")
    val first   = listed("eu" -> topics("orders", "bills"))
    val rest    = listed("eu" -> topics("bills"))
    val other   = listed("eu" -> topics("bills"), "us" -> orders)
    val second  = has(0 -> 5, 0 -> 5).of("T2")
    val unled   = Query(rules).sees(first)(kafka("eu", only(0 -> (0 -> 10)).of("T1").leaderless(1))).read
    val removed = unled.sees(rest)(kafka("eu")).read
    // Under `us`, the topic of that name is another one: the old position is dropped.
    val another =
      removed.sees(other)(kafka("eu"), kafka("us", second)).read.sees(other)(kafka("eu"), kafka("us", second))
    val back = another.read.sees(rest)(kafka("eu")).read.sees(first)(kafka("eu", has(0 -> 3, 0 -> 7).of("T3")))
    assertEquals(back.ranges.filter(_.contains("orders")), Vector("eu orders 0 0-3", "eu orders 1 0-7"))
  }
}
