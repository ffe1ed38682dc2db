package io.github.dynamickafka.spark.log

import java.time.Instant

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations.begin

/** When a warning of something that lasts is logged. */
class WarningThrottleSuite extends FunSuite {

  /** The causes that are logged at each time, in minutes. */
  private def logged(steps: (Int, Seq[String])*): Seq[Seq[String]] =
    steps.scanLeft(WarningThrottle() -> Seq.empty[String]) { case ((before, _), (minutes, causes)) =>
      val at: Instant = begin.plusSeconds(minutes * 60L)
      before.now(causes, at) -> causes.filter(before.due(_, at))
    }.tail.map(_._2)

  test("it is logged once, and not by each step that finds it") {
    assertEquals(logged(0 -> Seq("down"), 1 -> Seq("down"), 59 -> Seq("down")), Seq(Seq("down"), Nil, Nil))
  }

  test("it is logged again once an hour while it lasts") {
    val steps = (0 to 150 by 10).map(_ -> Seq("down"))
    assertEquals(logged(steps: _*).zipWithIndex.collect { case (Seq(_), n) => n * 10 }, Seq(0, 60, 120))
  }

  test("it is logged again when its cause changes") {
    assertEquals(
      logged(0 -> Seq("down"), 1 -> Seq("refused"), 2 -> Seq("refused")),
      Seq(Seq("down"), Seq("refused"), Nil)
    )
  }

  test("what ended and comes again is new") {
    assertEquals(logged(0 -> Seq("down"), 1 -> Nil, 2 -> Seq("down")), Seq(Seq("down"), Nil, Seq("down")))
  }

  test("one of several does not depend on the others") {
    assertEquals(
      logged(0 -> Seq("a"), 30 -> Seq("a", "b"), 60 -> Seq("a", "b"), 90 -> Seq("a", "b")),
      Seq(Seq("a"), Seq("b"), Seq("a"), Seq("b"))
    )
  }
}
