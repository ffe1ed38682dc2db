package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{LogAgreement, OffsetPoint}
import io.github.dynamickafka.spark.offsets.OffsetPoint.{Committed, Earliest, Timestamp}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** What the clusters are asked: no more than a step needs. */
class OffsetQuestionsSuite extends FunSuite {
  private val orders = listed("eu" -> topics("orders"))
  private val whole  = answer("orders" -> has(0 -> 10))
  private val query  = Query(fromEarliest).sees(orders)("eu" -> whole).read

  private def asked(query: Query, topology: Topology): Map[String, Set[String]] =
    new OffsetQuestions(StepBasis(query.held, topology), query.policy).topics.map { case (id, topics) =>
      id.value -> topics
    }

  private def points(query: Query, topology: Topology): Set[Question] = {
    val id = ClusterId("eu")
    new OffsetQuestions(StepBasis(query.held, topology), query.policy).points(id, whole)
  }

  test("listed topics are asked about, and removed ones until they are drained") {
    assertEquals(asked(query, orders), Map("eu" -> Set("orders")))
    val removed = query.sees(Topology.empty)("eu" -> answer("orders" -> has(0 -> 12)))
    assertEquals(asked(query, Topology.empty), Map("eu" -> Set("orders")))
    assertEquals(asked(removed.readSome(_ => Map.empty), Topology.empty), Map("eu" -> Set("orders")))
    assertEquals(asked(removed.read, Topology.empty), Map.empty[String, Set[String]])
  }

  test("a cluster that is listed without topics is asked who it is") {
    assertEquals(asked(Query(), listed("eu" -> topics())), Map("eu" -> Set.empty[String]))
  }

  test("times and groups are asked for where a partition begins, and only then") {
    val starting = Query(fromEarliest.copy(starting = rule("""{"committed": "g", "otherwise": "earliest"}""")))
    assertEquals(points(starting, orders), Set(Question(partition("eu", "orders", 0), Committed("g", Earliest))))
    assertEquals(points(query.under(_ => starting.policy), orders), Set.empty[Question])
    assertEquals(points(Query(fromEarliest), orders), Set.empty[Question])
  }

  test("what a group's commit falls back on is asked for with it") {
    val nested   = """{"committed": "g", "otherwise": {"committed": "h", "otherwise": {"timestamp": 9}}}"""
    val starting = Query(fromEarliest.copy(starting = rule(nested)))
    val h        = Committed("h", Timestamp(9))
    assertEquals(
      points(starting, orders),
      Set[OffsetPoint](Committed("g", h), h, Timestamp(9)).map(Question(partition("eu", "orders", 0), _))
    )
  }

  test("the time of an end that lies ahead is asked for once more at the removal") {
    val ending = listed("eu" -> topics("orders").endingAt("""{"timestamp": 9}"""))
    val open   = query.sees(ending, { case _ => None })("eu" -> whole).read
    assertEquals(points(open, Topology.empty), Set(Question(partition("eu", "orders", 0), Timestamp(9))))
    val removed = open.sees(Topology.empty, { case _ => Some(10L) })("eu" -> whole).read
    assertEquals(points(removed, Topology.empty), Set.empty[Question])
  }

  test("the time of an end is asked for until it is an offset") {
    val ending   = listed("eu" -> topics("orders").endingAt("""{"timestamp": 9}"""))
    val question = Question(partition("eu", "orders", 0), Timestamp(9))
    assertEquals(points(query, ending), Set(question))
    val open = query.sees(ending, { case _ => None })("eu" -> whole).read
    assertEquals(points(open, ending), Set(question))
    val ended = open.sees(ending, { case _ => Some(10L) })("eu" -> whole).read
    assertEquals(points(ended, ending), Set.empty[Question])
  }

  // What a look found after an election, with which nothing was cut off and nothing was written.
  private def ledBy(epoch: Int, end: Int = 10): Answered = answer("orders" -> Present(
    Some("T1"),
    Map(0 -> Extent(0, end.toLong, end.toLong, Some(epoch)), 1 -> Extent(0, 10, 10, Some(epoch)))
  ))

  /** The proofs that the first and the second trigger after an election ask for. */
  private def proofs(
      before: Query,
      topology: Topology,
      end: Int = 10
  ): (Int, Int) = {
    def now(query: Query) =
      new OffsetQuestions(
        StepBasis(query.held, topology, query.last),
        query.policy
      ).proofs(ClusterId("eu"), ledBy(4, end))
    val whole: Resolve = { case Question(_, LogAgreement(position, _, _)) => Some(position) }
    val next           = before.sees(topology, whole)("eu" -> ledBy(4, end)).readSome(_ => Map.empty)
    (now(before).size, now(next).size)
  }

  private val elected = Query(fromEarliest).sees(orders)("eu" -> ledBy(3)).read

  test("a log is proved once after an election, not by each trigger, while it is read") {
    assertEquals(proofs(elected, orders), (2, 0))
  }

  test("a log is proved once after an election while its topic is paused") {
    assertEquals(proofs(elected, listed("eu" -> topics("orders").paused))._2, 0)
  }

  test("a log is proved once after an election while its topic drains") {
    val drains = elected.sees(Topology.empty)("eu" -> ledBy(3, end = 12)).readSome(_ => Map.empty)
    assertEquals(proofs(drains, Topology.empty, end = 12)._2, 0)
  }

  test("a partition that has reached its end is not proved any more") {
    val ending = listed("eu" -> topics("orders").endingAt("""{"orders": {"0": 10, "1": 20}}"""))
    val over   = elected.sees(ending)("eu" -> ledBy(3)).read
    assertEquals(proofs(over, ending), (1, 0))
  }
}
