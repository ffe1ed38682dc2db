package io.github.dynamickafka.spark.topology

import scala.collection.immutable.SortedSet

class PauseSuite extends munit.FunSuite {
  private val some = Pause.Topics(SortedSet("a"))

  test("a pause holds its topics, and one of the whole cluster holds all") {
    assertEquals(Seq("a", "b").map(Pause.none.holds), Seq(false, false))
    assertEquals(Seq("a", "b").map(some.holds), Seq(true, false))
    assertEquals(Seq("a", "b").map(Pause.Whole.holds), Seq(true, true))
  }

  test("of two pauses all topics count, and the whole cluster wins") {
    assertEquals(some.and(Pause.Topics(SortedSet("b"))), Pause.Topics(SortedSet("a", "b")): Pause)
    assertEquals(Pause.none.and(some), some: Pause)
    assertEquals(some.and(Pause.Whole), Pause.Whole: Pause)
    assertEquals(Pause.Whole.and(some), Pause.Whole: Pause)
  }
}
