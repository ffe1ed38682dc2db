package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.offsets.OffsetPoint.{Committed, Earliest, Timestamp}
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
}
