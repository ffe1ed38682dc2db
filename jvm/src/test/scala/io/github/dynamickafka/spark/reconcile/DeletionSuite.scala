package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.memory.{DrainEnded, OpenDrains}
import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.{LastKnown, TopicObservation}
import io.github.dynamickafka.spark.topology.Topology

/** A topic is deleted in Kafka and removed from the metadata, in either order, created again and listed again or not. */
class DeletionSuite extends FunSuite {
  private val orders = listed("eu" -> topics("orders"))
  private val spread = policy.agreement

  private def kafka(topic: TopicObservation)     = answer("orders" -> topic).of("K1")
  private def old(end: Int)                      = "eu" -> kafka(has(0 -> end).of("T1"))
  private def fresh(end: Int)                    = "eu" -> kafka(has(0 -> end).of("T2"))
  private def unnamed(end: Int, oldest: Int = 0) = "eu" -> kafka(has(oldest -> end))
  private val gone                               = "eu" -> kafka(absent)

  private val query = Query(fromEarliest).sees(orders)(old(10)).read

  /** The loss that this trigger reports, if a later fetch of the metadata still lists the topic. */
  private def loss(seen: Seen): Option[Condition] = seen.outcome.left.toOption.map(_.condition)

  test("deleted first and then removed, it is no loss, and its positions are kept, since a mirror may have the rest") {
    val deleted = query.sees(orders)(gone).read
    val removed = deleted.after(spread).sees(Topology.empty)(gone)
    assertEquals(loss(removed), None)
    assertEquals(removed.notices, Vector.empty)
    assertEquals(removed.ranges, Vector.empty)
    assertEquals(removed.positions, Vector("eu orders 0 [0,10,0]"))
    val late = removed.read.after(Duration.ofDays(30)).sees(Topology.empty)(gone)
    assertEquals(late.offset.partitions.toVector, Vector.empty)
  }

  test("deleted while it drains, and listed under its next id in time, it continues at the position") {
    val unread  = query.sees(Topology.empty)(old(20)).readSome(_ => Map.empty)
    val deleted = unread.sees(Topology.empty)(gone).read.after(spread).sees(Topology.empty)(gone).read
    val moved   = listed("new" -> topics("orders").continuing("eu"))
    val mirror  = "new" -> answer("orders" -> has(0 -> 25).of("T9")).of("K2")
    assertEquals(deleted.after(Duration.ofDays(29)).sees(moved)(mirror).ranges, Vector("new orders 0 10-25"))
  }

  test(
    "forgotten and listed again, it begins in a new incarnation as a topic that appears later, at its earliest record"
  ) {
    // Without ids too, and where a new cluster begins at `latest`.
    val latest    = Query(fromEarliest.copy(newCluster = rule("latest")))
    val waiting   = latest.sees(orders)(unnamed(10)).read.sees(orders)(gone).read
    val forgotten = waiting.after(spread).sees(Topology.empty)(gone).read
    for (held <- Seq(forgotten, forgotten.copy(known = LastKnown.nothing))) {
      val back = held.after(Duration.ofDays(29)).sees(orders)(unnamed(30, oldest = 2))
      assertEquals(back.positions, Vector("eu orders 0 [2,30,1]"))
      assertEquals(ranges(query.held, back.read.held), Vector("eu orders 0 2-30"))
    }
    val late = forgotten.after(Duration.ofDays(30)).sees(Topology.empty)()
    assertEquals(late.offset.clusters.keySet.toVector, Vector.empty)
  }

  test("until asks agree that a removed topic is deleted it is kept, and resumes where it was") {
    val removed = query.sees(Topology.empty)(gone).read.after(spread.minusMillis(1)).sees(Topology.empty)(gone)
    assertEquals(removed.positions, Vector("eu orders 0 [0,10,0]"))
    assertEquals(removed.read.sees(Topology.empty)(old(14)).ranges, Vector("eu orders 0 10-14"))
    assertEquals(removed.read.sees(orders)(old(14)).ranges, Vector("eu orders 0 10-14"))
  }

  test("created again while it drains, it is forgotten at once: the ids differ") {
    val removed = query.sees(Topology.empty)(old(20)).readSome(_.map { case (id, _) => id -> 12L })
    val seen    = removed.sees(Topology.empty)(fresh(30))
    assertEquals((seen.notices, seen.ranges), (Vector.empty, Vector.empty))
    assert(seen.urgent, "a drain that ends before its target is recorded at once")
    assertEquals(seen.read.held.partitions.toVector, Vector.empty)
    assertEquals(seen.read.sees(orders)(fresh(40)).positions, Vector("eu orders 0 [0,40,1]"))
  }

  test("the drain of a topic that was deleted ends, and says so once") {
    val draining     = query.sees(Topology.empty)(old(20)).readSome(_.map { case (id, _) => id -> 12L })
    val seen         = draining.sees(Topology.empty)(fresh(30))
    val open         = OpenDrains.none.asked(seen.input.seen, draining.held, seen.offset)
    val (said, rest) = open.ended(seen.read.held)
    assertEquals(said, Vector(DrainEnded(ClusterId("eu"), "orders", 0)))
    assertEquals(rest.asked(Map.empty, seen.read.held, seen.read.held).ended(seen.read.held)._1, Vector.empty)
  }

  test("listed again while it is not there, and taken off once more, it is not read beyond what it had then") {
    val drained = query.sees(Topology.empty)(old(10)).read
    val waiting = drained.sees(orders)(gone)
    assert(waiting.urgent, "a return is recorded at once")
    // A broker that was behind did not have it.
    assertEquals(waiting.read.sees(Topology.empty)(old(14)).ranges, Vector("eu orders 0 10-14"))
  }

  test("listed again while its cluster says nothing of it, and then created again, it is no loss") {
    val drained = query.sees(Topology.empty)(old(10)).read
    val untold  = drained.sees(orders)("eu" -> answer())
    assert(untold.urgent, "a return is recorded at once")
    assertEquals(untold.read.sees(orders)(fresh(3)).positions, Vector("eu orders 0 [0,3,1]"))
  }

  test("listed again while it does not exist, it is waited for, and begins anew when it is created again") {
    val removed = query.sees(Topology.empty)(old(10)).read
    val waiting = removed.sees(orders)(gone).read.after(spread).sees(orders)(gone)
    assertEquals(loss(waiting), None)
    assertEquals(waiting.notices.map(_.warning.condition), Vector(Condition.TopicNotFound))
    assertEquals(waiting.read.sees(orders)(fresh(3)).positions, Vector("eu orders 0 [0,3,1]"))
  }

  test("listed again after a broker that was behind did not have it, it goes on where it was") {
    val removed = query.sees(Topology.empty)(old(10)).read
    assertEquals(removed.sees(orders)(gone).read.sees(orders)(old(14)).ranges, Vector("eu orders 0 10-14"))
  }

  test("created again, and listed again while its cluster is out of reach, it begins anew once that answers") {
    val alone = listed("us" -> topics("orders"))
    val both  = listed("eu" -> topics("orders"), "us" -> topics("orders"))
    // Records of the other cluster, so that a batch records each step.
    def us(end: Int) = "us" -> answer("orders" -> has(0 -> end).of("U1"))
    val start        = Query(skipping).sees(both)(old(10), us(1)).read
    for (query <- Seq(start, start.under(_.copy(removal = stopping.removal)))) {
      val drained = query.sees(alone)(old(10), us(2)).read
      val waiting = drained.sees(both)("eu" -> down, us(3)).read.sees(both)("eu" -> down, us(4)).read
      assertEquals(
        waiting.sees(both)(fresh(3), us(4)).positions,
        Vector("eu orders 0 [0,3,1]", "us orders 0 [0,4,0]")
      )
      assertEquals(waiting.sees(both)(old(14), us(4)).ranges, Vector("eu orders 0 10-14"))
    }
  }

  test("created again and listed again after a gap that was seen, it begins anew without loss") {
    val stop = query.under(_.copy(removal = stopping.removal))
    assertEquals(stop.sees(Topology.empty)().read.sees(orders)(fresh(3)).positions, Vector("eu orders 0 [0,3,1]"))
    assertEquals(stop.sees(orders)(fresh(3)).failure.condition, Condition.TopicRecreated)
  }

  test("taken off, created again and listed again is no loss, also where its cluster was out of reach all the while") {
    val off = query.under(_ => skipping).sees(Topology.empty)("eu" -> down).read
    assertEquals(off.sees(orders)(fresh(5)).ranges, Vector("eu orders 0 0-5"))
    val back = off.sees(orders)("eu" -> down).read
    assertEquals(back.sees(orders)(fresh(5)).ranges, Vector("eu orders 0 0-5"))
  }

  // A cluster that is renamed, and whose topic is deleted before the new id has answered.
  private val renamed = listed("new" -> topics("orders").continuing("eu"))
  private val two     = "eu" -> kafka(has(0 -> 10, 0 -> 10).of("T1"))

  test("a listed topic that is deleted fails the query also before its position is handed over") {
    val absence = "new" -> kafka(absent)
    val first   = Query(fromEarliest).sees(orders)(two).read.sees(renamed)(absence).read
    assertEquals(loss(first.after(spread).sees(renamed)(absence)), Some(Condition.DataLoss))
  }

  test("one that was off the list before, and is created again by then, is no loss") {
    val off  = Query(stopping).sees(orders)(two).read.sees(listed("eu" -> topics()))(two).read
    val seen = off.sees(renamed)("new" -> kafka(has(0 -> 3, 0 -> 4).of("T2")))
    assertEquals(seen.ranges, Vector("new orders 0 0-3", "new orders 1 0-4"))
    assertEquals(seen.notices, Vector.empty)
  }

  // A topic without an id of Kafka's that is deleted, and created again with more records than were read.
  private def begun(policy: ReconcilePolicy) = Query(policy).sees(orders)(unnamed(10)).read
  private def waits(query: Query)            = query.sees(orders)(gone).read.after(spread).sees(orders)(gone).read
  private val lax                            = fromEarliest.copy(failOnDataLoss = false)

  test("where loss is allowed the new topic is read from its earliest record, after a restart too") {
    val waiting = waits(begun(lax))
    val own     = listed("eu" -> topics("orders").startingAt("""{"orders":"latest"}"""))
    for (later <- Seq(waiting, waiting.sees(orders)(gone).read, Query(lax, waiting.held, waiting.now)))
      for (topology <- Seq(orders, own))
        assertEquals(later.sees(topology)(unnamed(30)).ranges, Vector("eu orders 0 0-30"))
  }

  test("the same where its cluster is renamed, and the topic is deleted before the position is handed over") {
    val absence = "new" -> kafka(absent)
    val first   = Query(lax).sees(orders)("eu" -> kafka(has(0 -> 10))).read.sees(renamed)(absence).read
    val waiting = first.after(spread).sees(renamed)(absence).read
    for (later <- Seq(waiting, waiting.sees(renamed)(absence).read, Query(lax, waiting.held, waiting.now)))
      assertEquals(later.sees(renamed)("new" -> kafka(has(0 -> 30))).ranges, Vector("new orders 0 0-30"))
    assertEquals(first.sees(renamed)("new" -> kafka(has(0 -> 30))).ranges, Vector("new orders 0 10-30"))
  }

  test("the same of a topic that was removed and listed again, which is no loss") {
    val removed = begun(fromEarliest).sees(Topology.empty)(unnamed(10)).read
    assertEquals(waits(removed).sees(orders)(unnamed(30)).ranges, Vector("eu orders 0 0-30"))
  }

  test("until asks agree it is the same topic, and one with an id is known by that") {
    val soon = begun(lax).sees(orders)(gone).read.after(spread.minusMillis(1)).sees(orders)(gone).read
    assertEquals(soon.sees(orders)(unnamed(30)).ranges, Vector("eu orders 0 10-30"))
    val named = query.under(_ => lax)
    assertEquals(waits(named).sees(orders)(old(30)).ranges, Vector("eu orders 0 10-30"))
  }
}
