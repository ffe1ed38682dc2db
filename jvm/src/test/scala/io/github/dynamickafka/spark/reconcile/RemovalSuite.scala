package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.driver.memory.{DrainEnded, OpenDrains}
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Drain, OffsetJson, OffsetPoint, Removal, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, FailedTries, LastKnown}
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** What becomes of clusters and topics that the metadata lists no more. */
class RemovalSuite extends FunSuite {
  private val both   = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val usOnly = listed("us" -> topics("orders"))
  private val us     = "us" -> answer("orders" -> has(0 -> 10))
  private val query  = Query(fromEarliest).sees(both)("eu" -> answer("orders" -> has(0 -> 10, 0 -> 10)), us).read
  private val nothing: Map[PartitionId, Long] => Map[PartitionId, Long] = _ => Map.empty

  private def eu(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*))

  private def topic(query: Query): Option[TopicOffset] =
    query.held.clusters.get(ClusterId("eu")).flatMap(_.topics.get("orders"))

  private def removal(query: Query): Option[Removal] = topic(query).flatMap(_.removal)

  test("a removed cluster is read on to the end found when the removal was noticed, and not beyond") {
    val removed = query.sees(usOnly)(eu(0 -> 14, 0 -> 10), us)
    assert(removed.urgent)
    val slow = removed.readSome(_.map { case (id, _) => id -> 12L })
    val more = slow.sees(usOnly)(eu(0 -> 99, 0 -> 99), us)
    assertEquals(more.ranges, Vector("eu orders 0 12-14"))
    assertEquals(more.read.sees(usOnly)(eu(0 -> 99, 0 -> 99), us).ranges, Vector.empty)
  }

  test("the target is fixed by the step that notices the removal, also where nothing is left to read then") {
    val removed = query.sees(usOnly)(eu(0 -> 10, 0 -> 10), us)
    assert(removed.urgent, "the target must be recorded at once")
    assertEquals(removed.read.sees(usOnly)(eu(0 -> 99, 0 -> 99), us).ranges, Vector.empty)
  }

  test("a removed topic drains like a removed cluster, beside topics that stay") {
    val two   = listed("eu" -> topics("orders", "refunds"))
    val start = Query(fromEarliest).sees(two)("eu" -> answer("orders" -> has(0 -> 10), "refunds" -> has(0 -> 10))).read
    val one   = listed("eu" -> topics("refunds"))
    val seen  = start.sees(one)("eu" -> answer("orders" -> has(0 -> 12), "refunds" -> has(0 -> 12)))
    assertEquals(seen.ranges, Vector("eu orders 0 10-12", "eu refunds 0 10-12"))
    val later = seen.read.sees(one)("eu" -> answer("orders" -> has(0 -> 20), "refunds" -> has(0 -> 20)))
    assertEquals(later.ranges, Vector("eu refunds 0 12-20"))
  }

  test("a partition that appeared just before the removal drains too, from its first record") {
    val seen = query.sees(usOnly)(eu(0 -> 10, 0 -> 10, 2 -> 5), us)
    assertEquals(seen.ranges, Vector("eu orders 2 2-5"))
  }

  test("a partition that an answer leaves out gets its end from a later one, and holds up no other") {
    val part = query.sees(usOnly)("eu" -> answer("orders" -> only(0 -> (0 -> 14))), us)
    assertEquals(part.ranges, Vector("eu orders 0 10-14"))
    assertEquals(
      part.step.offset.clusters(ClusterId("eu")).topics("orders").removal,
      Some(Removal.Draining(begin.toEpochMilli, SortedMap(0 -> Drain.Until(14), 1 -> Drain.Unknown)))
    )
    val whole = part.read.sees(usOnly)(eu(0 -> 15, 0 -> 16, 0 -> 9), us)
    assertEquals(whole.ranges, Vector("eu orders 1 10-16"))
  }

  test("a partition that appeared just before the removal drains once it is led, though it was not held yet") {
    val unled = query.sees(usOnly)("eu" -> answer("orders" -> has(0 -> 10, 0 -> 10).leaderless(2)), us)
    assert(unled.read.held.topic(ClusterId("eu"), "orders").exists(_.drains))
    val led = unled.read.sees(usOnly)(eu(0 -> 10, 0 -> 10, 2 -> 5), us)
    assertEquals(led.ranges, Vector("eu orders 2 2-5"))
    assert(!led.read.held.topic(ClusterId("eu"), "orders").exists(_.drains))
  }

  for (
    (name, topology) <- Seq(
      "a drain waits for a cluster that does not answer, and never fails the query"         -> usOnly,
      "a cluster listed for its credentials alone drains, and never fails the query either" ->
        listed("eu" -> topics(), "us" -> topics("orders"))
    )
  ) test(name) {
    val waiting = query.sees(topology)("eu" -> down, us)
    assertEquals(waiting.notices.map(_.warning.condition), Vector(Condition.ClusterUnreachable))
    val back = waiting.read.after(Duration.ofHours(1)).sees(topology)(eu(0 -> 14, 0 -> 10), us)
    assertEquals(back.ranges, Vector("eu orders 0 10-14"))
  }

  test("`stop` stops at once, keeps the positions, and asks the cluster no more") {
    val stopped = query.under(_ => stopping)
    assertEquals(new OffsetQuestions(StepBasis(stopped.held, usOnly), stopping).topics.keySet, Set(ClusterId("us")))
    val seen = stopped.sees(usOnly)(eu(0 -> 14, 0 -> 10), "us" -> answer("orders" -> has(0 -> 11)))
    assertEquals(seen.ranges, Vector("us orders 0 10-11"))
    assertEquals(seen.read.sees(both)(eu(0 -> 16, 0 -> 10), us).ranges, Vector("eu orders 0 10-16"))
  }

  test("a removal alone is recorded at once, with the time it was noticed") {
    val seen = query.under(_ => stopping).sees(usOnly)(us)
    assert(seen.urgent)
    assertEquals(removal(seen.read).map(_.at), Some(begin.toEpochMilli))
    val repeated = seen.read.after(Duration.ofHours(2)).sees(usOnly)("us" -> answer("orders" -> has(0 -> 12))).read
    assertEquals(removal(repeated), removal(seen.read))
  }

  test("listed again, it resumes exactly where it was: within its drain and after it") {
    val slow    = query.sees(usOnly)(eu(0 -> 20, 0 -> 10), us).readSome(_.map { case (id, _) => id -> 12L })
    val drained = slow.sees(usOnly)(eu(0 -> 20, 0 -> 10), us).read
    for ((held, from) <- Seq(slow -> 12, drained -> 20)) {
      val back = held.after(Duration.ofDays(29)).sees(both)(eu(0 -> 30, 0 -> 10), us)
      assertEquals(back.ranges, Vector(s"eu orders 0 $from-30"))
      assertEquals(removal(back.read), None)
    }
  }

  test("a service that lists n, n-1, n clusters changes no position, whether the gap is logged or not") {
    for (policy <- Seq(fromEarliest, stopping)) {
      val gap = query.under(_ => policy).sees(usOnly)(eu(0 -> 10, 0 -> 10), us)
      for (held <- Seq(gap.query, gap.read, gap.readSome(nothing))) {
        val back = held.sees(both)(eu(0 -> 10, 0 -> 10), us)
        assertEquals(OffsetJson.write(back.offset), OffsetJson.write(query.held))
        assertEquals(back.urgent, removal(held).isDefined, "a return is recorded if the removal was")
      }
    }
  }

  test("what is written between a return and the next removal is read, though the return found nothing to read") {
    for (known <- Seq(LastKnown.nothing, query.known)) {
      val drained = query.sees(usOnly)(eu(0 -> 100, 0 -> 10), us).read
      val back    = drained.copy(known = known).sees(both)(eu(0 -> 100, 0 -> 10), us)
      assertEquals(back.ranges, Vector.empty)
      assert(back.urgent, "a return is recorded at once")
      val removed = back.read.copy(known = known).sees(usOnly)(eu(0 -> 150, 0 -> 10), us)
      assertEquals(removed.ranges, Vector("eu orders 0 100-150"))
    }
  }

  test("a cluster without topics that is listed again is recorded at once, so that its retention counts anew") {
    val latest = Query(fromEarliest.copy(newCluster = rule("latest")))
    val empty  = latest.sees(both)("eu" -> answer("orders" -> absent), us).read
    val off    = empty.sees(usOnly)("us" -> answer("orders" -> has(0 -> 11))).read.after(Duration.ofDays(29))
    val back   = off.sees(both)("eu" -> answer("orders" -> absent), "us" -> answer("orders" -> has(0 -> 11)))
    assert(back.urgent)
    val again = back.read.after(Duration.ofDays(2)).sees(usOnly)("us" -> answer("orders" -> has(0 -> 12))).read
    assertEquals(again.sees(both)(eu(0 -> 5), us).ranges.filter(_.startsWith("eu")), Vector("eu orders 0 0-5"))
  }

  test("an empty topology is a removal of everything") {
    val seen = query.sees(Topology.empty)(eu(0 -> 11, 0 -> 10), us)
    assertEquals(seen.ranges, Vector("eu orders 0 10-11"))
    assertEquals(seen.read.held.clusters.keySet.map(_.value).toSet, Set("eu", "us"))
  }

  test("a removed topic that was deleted is no loss, and has nothing left to drain once asks agree that it is gone") {
    val slow  = query.sees(usOnly)(eu(0 -> 20, 0 -> 10), us).readSome(_.map { case (id, _) => id -> 12L })
    val first = slow.sees(usOnly)("eu" -> answer("orders" -> absent), us)
    assertEquals(positions(first.offset), positions(slow.held))
    assertEquals(first.offset, slow.held, "one answer may come from a broker that is behind")
    assertEquals(first.read.sees(usOnly)(eu(0 -> 20, 0 -> 10), us).ranges, Vector("eu orders 0 12-20"))
    val later = slow.copy(known = first.input.known).after(fromEarliest.agreement)
    val gone  = later.sees(usOnly)("eu" -> answer("orders" -> absent), us)
    assertEquals(gone.notices, Vector.empty)
    assertEquals(positions(gone.offset), Vector("us orders 0 [0,10,0]"))
    assert(gone.urgent, "a drain that ends before its target is recorded at once")
  }

  private val slow = query.sees(usOnly)(eu(0 -> 20, 0 -> 10), us).readSome(_.map { case (id, _) => id -> 12L })
  private val id   = ClusterId("eu")

  private def failingFor(time: Duration) =
    slow.copy(known = LastKnown(tries(slow.now.minus(time), 0), horizon(20)))

  private def horizon(end: Long) = PartitionMap.from(Map(partition("eu", "orders", 0) -> end))

  private def tries(since: Instant, partitions: Int*) =
    FailedTries(partitions.map(partition("eu", "orders", _) -> since).toMap)

  private def abandoned(seen: Seen): Vector[(String, Long)] =
    seen.notices.collect { case Notice.Abandoned(id, _, records, _) => s"${id.cluster} ${id.name}" -> records }

  test("tries that failed for less than drainTimeout leave the drain as it is") {
    val seen = failingFor(Duration.ofHours(1).minusMillis(1)).sees(usOnly)("eu" -> down, us)
    assertEquals(abandoned(seen), Vector.empty)
    assert(!seen.urgent)
    assertEquals(seen.read.sees(usOnly)(eu(0 -> 20, 0 -> 10), us).ranges, Vector("eu orders 0 12-20"))
  }

  test("after drainTimeout of failed tries a drain ends, reports how many records it left, and is recorded at once") {
    val seen = failingFor(Duration.ofHours(1)).sees(usOnly)("eu" -> down, us)
    assertEquals(abandoned(seen), Vector("eu orders" -> 8L))
    assert(seen.urgent)
    assertEquals(seen.read.sees(usOnly)(eu(0 -> 20, 0 -> 10), us).ranges, Vector.empty)
    assertEquals(abandoned(seen.read.sees(usOnly)("eu" -> down, us)), Vector.empty, "reported once")
  }

  test("a drain of a cluster that the service calls inactive ends at the first failed try, and not before") {
    val inactive = slow.copy(inactive = Set(id))
    assertEquals(inactive.sees(usOnly)(eu(0 -> 20, 0 -> 10), us).ranges, Vector("eu orders 0 12-20"))
    assertEquals(abandoned(inactive.sees(usOnly)("eu" -> down, us)), Vector("eu orders" -> 8L))
    val credentials = listed("eu" -> topics().inactive, "us" -> topics("orders"))
    assertEquals(abandoned(slow.sees(credentials)("eu" -> down, us)), Vector("eu orders" -> 8L))
  }

  test("where nobody knows how to reach the cluster no try is made: the drain waits, for its retention at most") {
    val unknown = ClusterObservation.Failed(Failure(Condition.ClusterNotListed, "listed no more"))
    val waiting = slow.copy(inactive = Set(id)).sees(usOnly)("eu" -> unknown, us)
    assertEquals(abandoned(waiting), Vector.empty)
    val late = slow.after(Duration.ofDays(30)).sees(usOnly)("eu" -> unknown, us)
    assertEquals(abandoned(late), Vector("eu orders" -> 8L))
    assert(late.urgent, "what is not read is recorded as it is reported")
    assertEquals(positions(late.offset), Vector("us orders 0 [0,10,0]"))
  }

  test("while the properties of the cluster can't be resolved no try is made either") {
    for (eu <- Seq(topics().unresolved, topics().unresolved.inactive)) {
      val waiting = slow.sees(listed("eu" -> eu, "us" -> topics("orders")))("eu" -> unresolvable, us)
      assertEquals(abandoned(waiting), Vector.empty)
      assertEquals(waiting.step.unavailable, Set(ClusterId("eu")))
    }
  }

  test("a drain given up before its target was known reports the last known lag") {
    val seen = query.copy(known = LastKnown(tries(query.now.minus(Duration.ofHours(1)), 0, 1), horizon(14)))
      .sees(usOnly)("eu" -> down, us)
    assertEquals(abandoned(seen), Vector("eu orders" -> 4L))
  }

  test("a drain that was given up resumes exactly where it was when its cluster is listed again") {
    val ended = failingFor(Duration.ofHours(1)).sees(usOnly)("eu" -> down, us).read
    assertEquals(
      ended.after(Duration.ofDays(29)).sees(both)(eu(0 -> 30, 0 -> 10), us).ranges,
      Vector("eu orders 0 12-30")
    )
  }

  test("records that age out while a topic drains never fail the query: they are reported as lost") {
    val seen = slow.sees(usOnly)(eu(15 -> 40, 0 -> 10), us)
    assertEquals(
      seen.notices.collect { case Notice.Lost(id, records, _) => id.topic -> records },
      Vector("orders" -> 3L)
    )
    assertEquals(seen.ranges, Vector("eu orders 0 15-20"))
  }

  test("a cluster that was never reached is kept while it is off the list: it starts as it would have") {
    val skip    = Query(skipping.copy(starting = rule("latest")))
    val pending = skip.sees(both)("eu" -> down, us).read
    val off     = pending.after(Duration.ofHours(1)).sees(usOnly)("us" -> answer("orders" -> has(0 -> 11)))
    assertEquals(off.notices.map(_.warning.condition), Vector(Condition.ClusterUnreachable))
    val again = off.read.sees(usOnly)("us" -> answer("orders" -> has(0 -> 11)))
    assertEquals(again.notices, Vector.empty, "reported once")
    val since = Question(partition("eu", "orders", 0), OffsetPoint.Timestamp(begin.toEpochMilli))
    val back  = off.read.after(Duration.ofDays(29)).sees(both, { case `since` => Some(7L) })(eu(0 -> 30), us)
    assertEquals(back.ranges, Vector("eu orders 0 7-30"))
    assertEquals(back.offset.clusters(id).removed, None)
    val late = off.read.after(Duration.ofDays(30)).sees(usOnly)("us" -> answer("orders" -> has(0 -> 12)))
    assertEquals(late.read.held.clusters.keySet.map(_.value).toSet, Set("us"))
  }

  test(
    "a cluster whose topics do not exist yet stays known while it is off the list: what appears starts at earliest"
  ) {
    val latest = Query(fromEarliest.copy(newCluster = rule("latest")))
    val empty  = latest.sees(both)("eu" -> answer("orders" -> absent), us).read
    val off    = empty.sees(usOnly)("us" -> answer("orders" -> has(0 -> 11))).read
    assertEquals(off.sees(both)(eu(0 -> 5), us).ranges.filter(_.startsWith("eu")), Vector("eu orders 0 0-5"))
  }

  test("a drain that ended says how many records lie beyond it, once") {
    val removed   = query.sees(usOnly)(eu(0 -> 14, 0 -> 10), us)
    val partly    = removed.readSome(_.map { case (at, _) => at -> 12L }).held
    val more      = query.copy(held = partly).sees(usOnly)(eu(0 -> 99, 0 -> 13), us)
    val first     = OpenDrains.none.asked(removed.input.seen, query.held, removed.offset)
    val (none, a) = first.ended(partly)
    val (said, b) = a.asked(more.input.seen, partly, more.offset).ended(more.read.held)
    assertEquals((none, said), (Vector.empty, Vector(DrainEnded(id, "orders", 88))))
    assertEquals(
      b.asked(Map.empty, more.read.held, more.read.held).ended(more.read.held),
      (Vector.empty, OpenDrains.none)
    )
  }

  test("a drain that has nothing to read has ended at once; one whose topic is listed again never ends") {
    val removed = query.sees(usOnly)(eu(0 -> 10, 0 -> 10), us)
    val open    = OpenDrains.none.asked(removed.input.seen, query.held, removed.offset)
    assertEquals(open.ended(removed.read.held), (Vector(DrainEnded(id, "orders", 0)), OpenDrains.none))
    assertEquals(open.ended(query.held), (Vector.empty, OpenDrains.none))
  }
}
