package io.github.dynamickafka.spark.driver.bounded

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.plan.filter.{Comparison, KeptRows, NumberColumn, RowFilter, TextColumn, TextTest}
import io.github.dynamickafka.spark.reconcile.{Question, Reconciler}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.topology.Topology

/** What a batch read with a filter asks for, and what it reads. */
class BoundedFilterSuite extends FunSuite {
  private val both = listed("eu" -> topics("orders", "refunds"), "us" -> topics("orders"))
  private val full = Seq("eu" -> answer("orders" -> has(0 -> 10, 0 -> 20), "refunds" -> has(5 -> 9)))

  private def cluster(name: String): RowFilter = OfText(TextColumn.Cluster, name)
  private def topic(name: String): RowFilter   = OfText(TextColumn.Topic, name)

  private def OfText(column: TextColumn, value: String): RowFilter =
    RowFilter.OfText(column, TextTest.Compared(Comparison.Equal, value))

  private def number(column: NumberColumn, comparison: Comparison, value: Long): RowFilter =
    RowFilter.OfNumber(column, comparison, value)

  private def of(topology: Topology, filters: RowFilter*): BoundedFilter =
    new BoundedFilter(BoundedPlan.ended(topology, rule("latest")), new KeptRows(RowFilter.All(filters.toVector)))

  /** As the driver does it: asks what the topology that is left calls for, and judges what matters of the answers. */
  private def read(filter: BoundedFilter, resolve: Resolve = PartialFunction.empty)(
      answers: (String, ClusterObservation)*
  ): Either[Failure, Vector[String]] = {
    val seen  = Query(fromEarliest).sees(filter.topology)(answers: _*)
    val times = seen.input.seen.toVector.collect { case (id, answer: Answered) => filter.times(id, answer) }.flatten
    val found = times.flatMap(question => resolve.lift(question).map(question -> _)).toMap
    val all   = seen.input.answers ++ found
    val cut   = seen.input.seen.map { case (id, answer) => id -> filter.relevant(id, answer) }
    for {
      step   <- Reconciler.step(seen.input.copy(seen = cut, answers = all), fromEarliest)
      ranges <- BoundedPlan.ranges(step, filter, all, Set.empty)
    } yield ranges.map(range => s"${range.id.topic} ${range.id.partition} ${range.from}-${range.until}")
  }

  test("a cluster that is left out is asked nothing, and fails nothing") {
    val filter = of(both, cluster("eu"))
    assertEquals(filter.topology.clusters.keySet.toSet, Set(ClusterId("eu")))
    assertEquals(
      read(filter)(full: _*),
      Right(Vector("orders 0 0-10", "orders 1 0-20", "refunds 0 5-9"))
    )
    assert(read(of(both))(full: _*).isLeft, "without a filter the other one is missed")
  }

  test("a topic that is left out is asked nothing, and may be missing") {
    val filter = of(both, cluster("eu"), topic("orders"))
    assertEquals(filter.topology.clusters(ClusterId("eu")).topics.keySet.toSet, Set("orders"))
    assertEquals(
      read(filter)("eu" -> answer("orders" -> has(0 -> 10), "refunds" -> absent)),
      Right(Vector("orders 0 0-10"))
    )
  }

  test("a stream that is left out takes its topics along") {
    assertEquals(of(both, OfText(TextColumn.Stream, "another")).topology.clusters.size, 0)
  }

  test("a partition that is left out may be without a leader") {
    val filter = of(listed("eu" -> topics("orders")), number(NumberColumn.Partition, Comparison.Equal, 0))
    val seen   = "eu" -> answer("orders" -> has(0 -> 10).leaderless(1))
    assertEquals(read(filter)(seen), Right(Vector("orders 0 0-10")))
    assert(read(of(listed("eu" -> topics("orders"))))(seen).isLeft)
  }

  test("offsets cut ranges from both sides, and what is empty then is not read") {
    val filter = of(
      both,
      cluster("eu"),
      number(NumberColumn.Offset, Comparison.AtLeast, 9),
      number(NumberColumn.Offset, Comparison.Less, 15)
    )
    assertEquals(read(filter)(full: _*), Right(Vector("orders 0 9-10", "orders 1 9-15")))
  }

  private val since = number(NumberColumn.Timestamp, Comparison.AtLeast, 5000999)

  test("a time is looked up in milliseconds, rounded down, where it may cut anything") {
    val filter = of(
      listed("eu" -> topics("orders")),
      since,
      number(NumberColumn.Offset, Comparison.Less, 15),
      number(NumberColumn.Partition, Comparison.NotEqual, 2)
    )
    val seen = answer("orders" -> has(0 -> 10, 20 -> 30, 0 -> 10, 7 -> 7, 14 -> 20))
    assertEquals(
      filter.times(ClusterId("eu"), seen),
      Set(0, 4).map(n => Question(partition("eu", "orders", n), Timestamp(5000)))
    )
  }

  test("reading begins at the first record of the time, and where there is none nothing is read") {
    val found: Resolve = { case Question(id, Timestamp(5000)) => Option.when(id.partition == 0)(7L) }
    assertEquals(read(of(both, cluster("eu"), topic("orders"), since), found)(full: _*), Right(Vector("orders 0 7-10")))
  }

  test("a record of the time that was written after the end was fixed leaves nothing to read") {
    val found: Resolve = { case Question(_, Timestamp(5000)) => Some(25L) }
    assertEquals(read(of(both, cluster("eu"), topic("orders"), since), found)(full: _*), Right(Vector.empty))
  }

  test("an upper bound of the time asks for nothing and cuts nothing") {
    val filter = of(listed("eu" -> topics("orders")), number(NumberColumn.Timestamp, Comparison.Less, 5000))
    val seen   = answer("orders" -> has(0 -> 10))
    assertEquals(filter.times(ClusterId("eu"), seen), Set.empty[Question])
    assertEquals(read(filter)("eu" -> seen), Right(Vector("orders 0 0-10")))
  }

  private val mirrored = listed("eu" -> topics("orders"), "us" -> topics("orders").continuing("eu"))

  test("a standby has no rows, even if the filter leaves out the cluster that is read") {
    assertEquals(of(mirrored, cluster("us")).topology.clusters.size, 0)
    assertEquals(of(mirrored, cluster("eu")).topology.clusters.keySet.toSet, Set(ClusterId("eu")))
  }

  test("without a filter no cluster is left out, not even a standby or one without topics") {
    val all = listed("eu" -> topics("orders"), "us" -> topics("orders").continuing("eu"), "old" -> topics())
    assertEquals(of(all).topology, BoundedPlan.ended(all, rule("latest")))
  }
}
