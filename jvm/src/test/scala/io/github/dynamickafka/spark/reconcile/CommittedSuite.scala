package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.{FunSuite, Location}

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetPoint.{Committed, Timestamp}
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** Partitions that begin or end where a consumer group has committed. */
class CommittedSuite extends FunSuite {
  private val orders = listed("eu" -> topics("orders"))

  private def group(name: String, otherwise: String) = s"""{"committed": "$name", "otherwise": $otherwise}"""

  /** What groups have committed, by partition, and where the time 900 lies; all else is reported as nothing. */
  private def said(commits: Map[String, Map[Int, Int]], times: Map[Int, Int] = Map.empty): Resolve = {
    case Question(id, Committed(group, _)) => commits.getOrElse(group, Map.empty).get(id.partition).map(_.toLong)
    case Question(id, Timestamp(900))      => times.get(id.partition).map(_.toLong)
  }

  private def starts(name: String, starting: String, resolve: Resolve, lists: Topology = orders)(
      expected: String*
  )(implicit location: Location): Unit = test(name) {
    val seen = Query(policy.copy(starting = rule(starting))).sees(lists, resolve)(
      "eu" -> answer("orders" -> has(5 -> 10, 5 -> 10))
    )
    assertEquals(positions(seen.offset), expected.toVector)
  }

  starts(
    "a partition begins at the commit, and at the other point where there is none",
    group("g", "\"latest\""),
    said(Map("g" -> Map(0 -> 7)))
  )("eu orders 0 [7,7,0]", "eu orders 1 [10,10,0]")
  starts(
    "a group that does not exist has committed nothing",
    group("g", "\"earliest\""),
    said(Map.empty)
  )("eu orders 0 [5,5,0]", "eu orders 1 [5,5,0]")
  starts(
    "the other point may be a time, and one more group's commit",
    group("g", group("h", """{"timestamp": 900}""")),
    said(Map("h" -> Map(0 -> 6)), Map(1 -> 8))
  )("eu orders 0 [6,6,0]", "eu orders 1 [8,8,0]")
  starts(
    "where no record is as late as the other point: the end",
    group("g", """{"timestamp": 900}"""),
    said(Map.empty)
  )("eu orders 0 [10,10,0]", "eu orders 1 [10,10,0]")
  starts(
    "it stands at each level, beside other forms",
    s"""{"eu": {"orders": {"0": ${group("g", "\"latest\"")}, "*": "earliest"}}}""",
    said(Map("g" -> Map(0 -> 9, 1 -> 9)))
  )("eu orders 0 [9,9,0]", "eu orders 1 [5,5,0]")
  starts(
    "a cluster's own offsets may be a group's",
    "earliest",
    said(Map("g" -> Map(0 -> 9))),
    listed("eu" -> topics("orders").startingAt(group("g", "\"latest\"")))
  )("eu orders 0 [9,9,0]", "eu orders 1 [10,10,0]")
  starts(
    "a partition whose commit is not reported yet is not begun by a guess",
    group("g", "\"earliest\""),
    { case Question(id, _) if id.partition == 0 => Some(8L) }
  )("eu orders 0 [8,8,0]")

  test("a cluster that comes later may begin at a group's commit") {
    val query = Query(policy.copy(newCluster = rule(group("g", "\"latest\"")))).sees(Topology.empty)().read
    val seen  = query.sees(orders, said(Map("g" -> Map(0 -> 3))))("eu" -> answer("orders" -> has(0 -> 10)))
    assertEquals(seen.ranges, Vector("eu orders 0 3-10"))
  }

  test("for a cluster out of reach the other point `latest` means the time it was first listed") {
    val starting = group("g", group("h", "\"latest\""))
    val pending  = Query(skipping.copy(starting = rule(starting))).sees(orders)("eu" -> down).read
    val since    = begin.toEpochMilli
    val seen     = pending.after(Duration.ofHours(3)).sees(
      orders,
      {
        case Question(id, Committed("g", _)) => Option.when(id.partition == 0)(4L)
        case Question(_, Committed("h", _))  => None
        case Question(_, Timestamp(`since`)) => Some(6L)
      }
    )("eu" -> answer("orders" -> has(0 -> 10, 0 -> 10)))
    assertEquals(seen.ranges, Vector("eu orders 0 4-10", "eu orders 1 6-10"))
  }

  private val aged = said(Map("g" -> Map(0 -> 2)))

  test("records that aged out behind the commit are loss") {
    val failure = Query(policy.copy(starting = rule(group("g", "\"latest\""))))
      .sees(orders, aged)("eu" -> answer("orders" -> has(5 -> 10)))
      .failure
    assertEquals(failure.condition, Condition.DataLoss: Condition)
    assert(failure.detail.contains("partition 0: 2 until 5"), failure.detail)
    assert(failure.detail.contains("starting offsets name records that were gone"), failure.detail)
  }

  test("they are reported and passed over where the query says so") {
    val seen = Query(policy.copy(starting = rule(group("g", "\"latest\"")), failOnDataLoss = false))
      .sees(orders, aged)("eu" -> answer("orders" -> has(5 -> 10)))
    assertEquals(seen.notices.collect { case Notice.Lost(_, records, _) => records }, Vector(3L))
    assertEquals(seen.ranges, Vector("eu orders 0 5-10"))
  }

  private def ending(text: String) = listed("eu" -> topics("orders").endingAt(text))

  test("a partition ends where a group has committed, resolved once") {
    val cut   = ending(group("g", "\"latest\""))
    val first =
      Query(fromEarliest).sees(cut, said(Map("g" -> Map(0 -> 4))))("eu" -> answer("orders" -> has(0 -> 9, 0 -> 9)))
    assertEquals(first.ranges, Vector("eu orders 0 0-4", "eu orders 1 0-9"))
    val later =
      first.read.sees(cut, said(Map("g" -> Map(0 -> 8, 1 -> 8))))("eu" -> answer("orders" -> has(0 -> 20, 0 -> 20)))
    assertEquals(later.ranges, Vector.empty)
  }

  test("an end without a commit waits for the time that stands in its place") {
    val cut   = ending(group("g", """{"timestamp": 900}"""))
    val first = Query(fromEarliest).sees(cut, said(Map.empty))("eu" -> answer("orders" -> has(0 -> 5)))
    assertEquals(first.ranges, Vector("eu orders 0 0-5"))
    val later = first.read.sees(cut, said(Map.empty, Map(0 -> 7)))("eu" -> answer("orders" -> has(0 -> 9)))
    assertEquals(later.ranges, Vector("eu orders 0 5-7"))
  }

  test("while a commit was not reported, the partition is held rather than read past its end") {
    val seen = Query(fromEarliest).sees(ending(group("g", "\"latest\"")))("eu" -> answer("orders" -> has(0 -> 5)))
    assertEquals(seen.ranges, Vector.empty)
  }
}
