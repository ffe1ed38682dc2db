package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._

/** An end that is raised while its topic is not read must count when it is read again. */
class RaisedEndSuite extends FunSuite with MovingLog {
  private def one(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*).of("T1")).of("K1")

  private def ends(text: String) = topics("orders").endingAt(text)

  test("an end that is raised while the topic is paused resumes the partition when the pause is over") {
    val low    = """{"orders": {"0": 8}}"""
    val high   = """{"orders": {"0": 12}}"""
    val read   = Query(fromEarliest).sees(listed("eu" -> ends(low)))(one(0 -> 20)).read
    val paused = read.sees(listed("eu" -> ends(high).paused))(one(0 -> 20)).read
    assertEquals(paused.sees(listed("eu" -> ends(high)))(one(0 -> 20)).ranges, Vector("eu orders 0 8-12"))
  }

  test("the same of one that stood by") {
    val low   = """{"orders": {"0": 8}}"""
    val high  = """{"orders": {"0": 30}}"""
    val start = Query(fromEarliest).sees(listed("eu" -> ends(low), "new" -> orders))(one(0 -> 20), mirror(20)).read
    val by    = start.sees(listed("eu" -> ends(high).continuing("new"), "new" -> orders))(one(0 -> 20), mirror(20)).read
    val apart = by.sees(listed("eu" -> ends(high), "new" -> orders))(one(0 -> 20), mirror(20))
    assertEquals(apart.ranges, Vector("eu orders 0 8-20"))
  }

  test("control: an end that is raised while the topic is read resumes it") {
    val read = Query(fromEarliest).sees(listed("eu" -> ends("""{"orders": {"0": 8}}""")))(one(0 -> 20)).read
    val on   = read.sees(listed("eu" -> ends("""{"orders": {"0": 12}}""")))(one(0 -> 20))
    assertEquals(on.ranges, Vector("eu orders 0 8-12"))
  }
}
