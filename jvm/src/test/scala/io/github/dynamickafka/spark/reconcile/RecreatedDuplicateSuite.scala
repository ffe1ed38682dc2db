package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._

/** A topic that is created again while another id of its cluster lists it. */
class RecreatedDuplicateSuite extends FunSuite with MovingLog {
  test("a topic that is created again is loss, also while another id of its cluster waits as its duplicate") {
    def one(id: String, topic: String, end: Int) = id -> answer("orders" -> has(0 -> end).of(topic)).of("K1")
    val two                                      = listed("c" -> orders, "eu" -> orders)
    val read                                     = Query(fromEarliest).sees(old)(one("eu", "T1", 10)).read
    val twice = read.sees(two)(one("c", "T1", 12), one("eu", "T1", 12)).readSome(_ => Map.empty)
    val seen  = twice.sees(two)(one("c", "T2", 5), one("eu", "T2", 5))
    assertEquals(seen.failure.condition, Condition.TopicRecreated)
  }

  test("where loss is allowed it is read under the id that read it, once") {
    def one(id: String, topic: String, end: Int) = id -> answer("orders" -> has(0 -> end).of(topic)).of("K1")
    val two                                      = listed("c" -> orders, "eu" -> orders)
    val read  = Query(fromEarliest.copy(failOnDataLoss = false)).sees(old)(one("eu", "T1", 10)).read
    val twice = read.sees(two)(one("c", "T1", 12), one("eu", "T1", 12)).read
    val seen  = twice.sees(two)(one("c", "T2", 5), one("eu", "T2", 5))
    val more  = seen.read.sees(two)(one("c", "T2", 8), one("eu", "T2", 8))
    assertEquals((seen.ranges ++ more.ranges).map(_.split(' ').last), Vector("0-5", "5-8"))
    val alone = more.read.sees(old)(one("eu", "T2", 9))
    assertEquals(alone.ranges.map(_.split(' ').last), Vector("8-9"))
  }
}
