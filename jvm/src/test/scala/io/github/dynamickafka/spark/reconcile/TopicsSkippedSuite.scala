package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, Seen, Situations}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{OffsetPoint, PendingStart}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}
import io.github.dynamickafka.spark.topology.Topology

/** Topics that may not be read, and partitions that nobody leads, of clusters that answer. */
class TopicsSkippedSuite extends FunSuite {
  private val eu     = ClusterId("eu")
  private val three  = listed("eu" -> topics("orders", "refunds", "users"))
  private val others = Seq("refunds" -> has(0 -> 10), "users" -> has(0 -> 10))

  /** The cluster with this topic, and the two others as they were. */
  private def whole(orders: TopicObservation) = answer(("orders" -> orders) +: others: _*)

  private val query  = Query(skipping).sees(three)("eu" -> whole(has(0 -> 10))).read
  private val strict = query.under(_ => fromEarliest)

  private def seen(
      orders: TopicObservation,
      refunds: TopicObservation,
      query: Query = query,
      of: Topology = three
  ): Seen =
    query.sees(of)("eu" -> answer("orders" -> orders, "refunds" -> refunds, "users" -> has(0 -> 12)))

  private def later(seen: Seen): Seen = this.seen(has(0 -> 20), has(0 -> 20), seen.read)

  test("under `skip` a topic that may not be described, or not be read, holds alone, and is read on from there later") {
    val bad = seen(hidden, has(0 -> 15).lacking("READ"))
    assertEquals(bad.ranges, Vector("eu users 0 10-12"))
    assertEquals(bad.step.unavailable, Set.empty[ClusterId])
    assertEquals(later(bad).ranges, Vector("eu orders 0 10-20", "eu refunds 0 10-20"))
  }

  test("one warning names all of them with every operation that is missing, and is the same while it lasts") {
    val bad   = seen(hidden, has(0 -> 15).lacking("READ"))
    val again = seen(hidden, has(0 -> 17).lacking("READ"), bad.read)
    assertEquals(bad.notices.map(_.warning.condition), Vector(Condition.NotAuthorized))
    val text = bad.notices.head.warning.detail
    assert(text.contains("cluster eu") || text.contains("Cluster eu"), text)
    assert(text.contains("DESCRIBE and READ on topic orders, nor READ on topic refunds"), text)
    assertEquals(again.notices.map(_.subject), bad.notices.map(_.subject))
  }

  test("under `fail` one failure names all topics, operations and partitions, over all clusters") {
    val both  = listed("eu" -> topics("orders", "refunds"), "us" -> topics("orders", "users"))
    val begun = Query(fromEarliest).sees(both)(
      "eu" -> answer("orders" -> has(0 -> 1), "refunds" -> has(0 -> 1)),
      "us" -> answer("orders" -> has(0 -> 1, 0 -> 1), "users" -> has(0 -> 1))
    ).read
    val failure = begun.sees(both)(
      "eu" -> answer("orders" -> hidden, "refunds" -> has(0 -> 1).lacking("READ")),
      "us" -> answer("orders" -> only(0 -> (0 -> 1)).leaderless(1), "users" -> hidden)
    ).failure
    assertEquals(failure.condition, Condition.NotAuthorized: Condition)
    for (
      part <- Seq(
        "Cluster eu does not allow DESCRIBE and READ on topic orders, nor READ on topic refunds",
        "Cluster us does not allow DESCRIBE and READ on topic users",
        "no broker leads orders-1"
      )
    ) assert(failure.detail.contains(part), failure.detail)
  }

  test(
    "a partition that nobody leads, or whose leader does not answer, holds alone; under `fail` it is CLUSTER_UNREACHABLE"
  ) {
    val led   = query.sees(three)("eu" -> whole(has(0 -> 12, 0 -> 5))).read
    val half  = only(1 -> (0 -> 7)).leaderless(0)
    val alone = seen(half, has(0 -> 10), led)
    assertEquals(alone.ranges, Vector("eu orders 1 5-7", "eu users 0 10-12"))
    val back = alone.read.sees(three)("eu" -> whole(has(0 -> 14, 0 -> 8)))
    assertEquals(back.ranges, Vector("eu orders 0 12-14", "eu orders 1 7-8"))
    val failure = seen(half, has(0 -> 10), led.under(_ => fromEarliest)).failure
    assertEquals(failure.condition, Condition.ClusterUnreachable: Condition)
    assert(failure.detail.contains("no broker leads orders-0"), failure.detail)
  }

  test("a cluster that the service calls inactive fails nothing: what can't be read of it is held") {
    val inactive = listed("eu" -> topics("orders", "refunds", "users").inactive)
    assertEquals(seen(hidden, has(0 -> 10), strict, inactive).ranges, Vector("eu users 0 10-12"))
  }

  test("loss is never held: a topic that was created again is reported though it may not be read") {
    val begun = Query(skipping).sees(three)("eu" -> whole(has(0 -> 10).of("T1"))).read
    val other = seen(has(0 -> 3).of("T2").lacking("READ"), has(0 -> 10), begun)
    assertEquals(other.failure.condition, Condition.TopicRecreated: Condition)
    val aged = seen(has(12 -> 15).lacking("READ"), has(0 -> 10))
    assertEquals(aged.failure.condition, Condition.DataLoss: Condition)
  }

  test("what can't be seen is neither missing nor deleted") {
    val first = seen(hidden, has(0 -> 10)).read
    val after = seen(hidden, has(0 -> 10), first.after(Duration.ofHours(2)))
    assertEquals(
      after.notices.collect { case missing: Notice.MissingTopic => missing },
      Vector.empty[Notice.MissingTopic]
    )
    assertEquals(after.read.known.suspectedLosses.absent.keySet, Set.empty[(ClusterId, String)])
  }

  private def latest(topic: TopicObservation, query: Query = Query(skipping.copy(starting = rule("latest")))) =
    query.sees(
      three,
      { case Question(id, OffsetPoint.Timestamp(ms)) if id.topic == "orders" && ms == begin.toEpochMilli => Some(8) }
    )(
      "eu" -> whole(topic)
    )

  test("a topic that can't be seen at the first start begins by the rule of then, however much later it can be") {
    val first = latest(hidden)
    assertEquals(
      first.read.held.clusters(eu).pendingTopics,
      Map("orders" -> PendingStart("latest", begin.toEpochMilli))
    )
    val still = latest(hidden, first.read.after(Duration.ofHours(1)))
    assert(!still.urgent)
    val seen = latest(has(0 -> 20), still.read.after(Duration.ofHours(1)))
    assertEquals(seen.ranges, Vector("eu orders 0 8-20"))
    assertEquals(seen.offset.clusters(eu).pendingTopics.keySet, Set.empty[String])
  }

  test(
    "so does a partition that nobody led at the first start, and one that comes later begins with its first record"
  ) {
    val first = latest(has(0 -> 10).leaderless(1))
    assertEquals(first.read.held.clusters(eu).pendingTopics.keySet, Set("orders"))
    val seen = first.read.after(Duration.ofHours(1)).sees(
      three,
      { case Question(id, _) => Some(if (id.partition == 1) 5 else 0) }
    )("eu" -> whole(has(0 -> 11, 0 -> 9, 0 -> 4)))
    assertEquals(seen.ranges, Vector("eu orders 0 10-11", "eu orders 1 5-9", "eu orders 2 0-4"))
  }

  test("a topic that may be described begins at once by its rule, and is read once it may be") {
    val first = latest(has(0 -> 10).lacking("READ"))
    assert(first.urgent)
    assertEquals(latest(has(0 -> 13), first.read).ranges, Vector("eu orders 0 10-13"))
  }

  test(
    "a topic that is listed later and can't be seen yet begins with its first record, unless it has a start of its own"
  ) {
    val begun = Query(skipping).sees(listed("eu" -> topics("users")))("eu" -> answer("users" -> has(0 -> 12))).read
    def rules(seen: Seen) = seen.offset.clusters(eu).pendingTopics.map { case (name, start) => name -> start.rule }
    assertEquals(rules(seen(hidden, hidden, begun)).toMap, Map("orders" -> "earliest", "refunds" -> "earliest"))
    val own = listed("eu" -> topics("orders", "refunds", "users").startingAt("""{"orders":"latest"}"""))
    assertEquals(
      rules(seen(hidden, hidden, begun, own)).toMap,
      Map("orders" -> """{"*":"earliest","orders":"latest"}""", "refunds" -> "earliest")
    )
  }

  private val rest = listed("eu" -> topics("refunds", "users"))

  test(
    "a draining topic that can't be read fails nothing, is tried for drainTimeout, and then given up with what is left"
  ) {
    val begun = strict.sees(rest)("eu" -> whole(has(0 -> 15)))
    val held  = seen(hidden, has(0 -> 10), begun.readSome(_ => Map.empty), rest)
    assertEquals(held.notices.map(_.warning.condition), Vector(Condition.NotAuthorized))
    def after(time: Duration) = seen(hidden, has(0 -> 12), held.read.after(time), rest)
    def abandoned(seen: Seen) = seen.notices.collect { case drain: Notice.Abandoned => drain.id.name }
    assertEquals(abandoned(after(Duration.ofMinutes(59))), Vector.empty[String])
    assertEquals(abandoned(after(Duration.ofMinutes(60))), Vector("orders"))
    assertEquals(
      after(Duration.ofMinutes(60)).read.sees(three)("eu" -> whole(has(0 -> 16))).ranges,
      Vector("eu orders 0 10-16")
    )
  }

  test("a drain goes on in the partitions that can be read, and ends when nothing is held up any more") {
    val wide   = query.sees(three)("eu" -> whole(has(0 -> 12, 0 -> 5))).read
    val begun  = wide.sees(rest)("eu" -> whole(has(0 -> 15, 0 -> 9))).readSome(_ => Map.empty)
    val drains = seen(only(1 -> (0 -> 20)).leaderless(0), has(0 -> 10), begun, rest)
    assertEquals(drains.ranges, Vector("eu orders 1 5-9", "eu users 0 10-12"))
    assertEquals(drains.step.skipped.map(_.topics.keySet), Vector(Set("orders")))
    val back = seen(has(0 -> 30, 0 -> 30), has(0 -> 10), drains.read, rest)
    assertEquals(back.ranges, Vector("eu orders 0 12-15"))
    assertEquals(seen(hidden, has(0 -> 10), back.read, rest).step.skipped, Vector.empty[SkippedTopics])
  }

  test(
    "at the first step one failure names all topics that may not be read, also those of which there is nothing to read"
  ) {
    val ending  = """{"orders": {"0": 5}, "refunds": "latest", "users": "latest"}"""
    val ended   = listed("eu" -> topics("orders", "refunds", "users").endingAt(ending))
    val nothing = Seq("orders" -> has(5 -> 20).lacking("READ"), "refunds" -> has(0 -> 0).lacking("READ"))
    val failure = Query(fromEarliest).sees(ended)("eu" -> answer(nothing :+ "users" -> hidden: _*)).failure
    assertEquals(failure.condition, Condition.NotAuthorized: Condition)
    assert(
      failure.detail.contains("READ on topics orders, refunds, nor DESCRIBE and READ on topic users"),
      failure.detail
    )
    val readable = Seq("orders" -> has(5 -> 20), "refunds" -> has(0 -> 0), "users" -> has(0 -> 0))
    val begun    = Query(fromEarliest).sees(ended)("eu" -> answer(readable: _*)).read
    assertEquals(begun.sees(ended)("eu" -> answer(nothing: _*)).step.skipped, Vector.empty[SkippedTopics])
  }

  test("a topic that is removed while nobody leads one of its partitions drains all others to their own ends") {
    val wide  = query.sees(three)("eu" -> whole(has(0 -> 12, 0 -> 5, 0 -> 7))).read
    val unled = only(1 -> (0 -> 9), 2 -> (0 -> 8)).leaderless(0)
    val begun = seen(unled, has(0 -> 10), wide, rest)
    assertEquals(begun.ranges, Vector("eu orders 1 5-9", "eu orders 2 7-8", "eu users 0 10-12"))
    assert(begun.urgent, "the ends that were found are recorded at once")
    val more = seen(only(1 -> (0 -> 20), 2 -> (0 -> 20)).leaderless(0), has(0 -> 10), begun.read, rest)
    assertEquals(more.ranges, Vector.empty)
    val back = seen(has(0 -> 15, 0 -> 30, 0 -> 30), has(0 -> 10), more.read, rest)
    assertEquals(back.ranges, Vector("eu orders 0 12-15"))
    assert(back.urgent)
    assertEquals(seen(has(0 -> 40, 0 -> 40, 0 -> 40), has(0 -> 10), back.read, rest).ranges, Vector.empty)
  }

  private val inactive = listed("eu" -> topics("refunds", "users").inactive)

  private def abandoned(seen: Seen) = seen.notices.collect { case drain: Notice.Abandoned =>
    drain.partitions -> drain.records
  }

  test("a cluster that is called inactive gives up the partition that nobody leads, and nothing of the others") {
    val wide    = query.sees(three)("eu" -> whole(has(0 -> 12, 0 -> 5))).read
    val known   = wide.known.copy(horizon = PartitionMap.from(Map(partition("eu", "orders", 0) -> 15L)))
    val unled   = only(1 -> (0 -> 9)).leaderless(0)
    val first   = seen(unled, has(0 -> 10), wide.copy(known = known), inactive).readSome(_ => Map.empty)
    val removed = seen(unled, has(0 -> 10), first.after(policy.agreement), inactive)
    assertEquals(abandoned(removed), Vector(Vector(0) -> 3L))
    assertEquals(removed.ranges, Vector("eu orders 1 5-9", "eu users 0 10-12"))
  }

  test("a cluster that is called inactive gives up no drain for an election, or for a broker that restarts") {
    val unled    = only().leaderless(0)
    val first    = seen(unled, has(0 -> 10), query, inactive)
    val election = seen(unled, has(0 -> 10), first.read.after(policy.agreement.minusMillis(1)), inactive)
    assertEquals(abandoned(first) ++ abandoned(election), Vector.empty)
    assertEquals(seen(has(0 -> 15), has(0 -> 10), election.read, inactive).ranges, Vector("eu orders 0 10-15"))
    // Each election counts from its own beginning.
    val led = seen(has(0 -> 15), has(0 -> 10), election.read, inactive).readSome(_ => Map.empty)
    assertEquals(abandoned(seen(unled, has(0 -> 10), led.after(policy.agreement), inactive)), Vector.empty)
  }

  test("tries are counted for each partition, and what a partition abandons is counted once") {
    val wide  = query.sees(three)("eu" -> whole(has(0 -> 12, 0 -> 5, 0 -> 7))).read
    val begun = wide.sees(rest)("eu" -> whole(has(0 -> 15, 0 -> 9, 0 -> 8))).readSome(_ => Map.empty)

    def unled(query: Query, partitions: Int*) = seen(
      only(Seq(0, 1, 2).diff(partitions).map(_ -> (0 -> 20)): _*).leaderless(partitions: _*),
      has(0 -> 10),
      query,
      rest
    )
    val first = unled(begun, 0).readSome(_ => Map.empty).after(Duration.ofMinutes(40))
    // The cluster as a whole fails each of its partitions.
    val down  = first.sees(rest)("eu" -> Situations.down).readSome(_ => Map.empty).after(Duration.ofMinutes(20))
    val one   = unled(down, 0, 1)
    val later = one.readSome(_ => Map.empty).after(Duration.ofMinutes(40))
    assertEquals(abandoned(one), Vector(Vector(0) -> 3L))
    assertEquals(one.ranges, Vector("eu orders 2 7-8", "eu users 0 10-12"))
    assertEquals(abandoned(unled(later, 0, 1)), Vector(Vector(1) -> 4L))
    assertEquals(unled(later, 0).ranges, Vector("eu orders 1 5-9", "eu orders 2 7-8", "eu users 0 10-12"))
    assertEquals(abandoned(unled(later, 0)), Vector.empty)
  }

  test("a removed partition that has reached its end needs nobody to lead it") {
    val ended = listed("eu" -> topics("orders", "refunds", "users").endingAt("""{"orders":{"0":10}}"""))
    val begun = query.sees(ended)("eu" -> whole(has(0 -> 10))).read
    val off   = seen(only().leaderless(0), has(0 -> 10), begun, listed("us" -> topics("users")))
    assert(!off.offset.topic(eu, "orders").exists(_.drains))
  }

  test("a partition that has reached its end needs nobody to lead it") {
    val ended = listed("eu" -> topics("orders", "refunds", "users").endingAt("""{"orders":{"0":10}}"""))
    val begun = strict.sees(ended)("eu" -> whole(has(0 -> 10))).read
    assertEquals(seen(only().leaderless(0), has(0 -> 10), begun, ended).step.skipped, Vector.empty[SkippedTopics])
  }
}
