package io.github.dynamickafka.spark.spark

import munit.FunSuite

/** The name of a query, in what Spark says of its jobs. Scenarios run real queries. */
class RunningQuerySuite extends FunSuite {
  private val id = "0b5a-1"

  test("the name is what stands before the id, and may hold anything") {
    for (
      (description, expected) <- Seq(
        s"orders<br/>\nid = $id<br/>\nrunId = r<br/>\nbatch = init" -> Some("orders"),
        s"a<br/>b<br/>\nid = $id<br/>\nrunId = r<br/>\nbatch = 3"   -> Some("a<br/>b"),
        s"\nid = $id<br/>\nrunId = r<br/>\nbatch = init"            -> None,
        s"id = $id<br/>"                                            -> None,
        "what the user's own code says of its jobs"                 -> None,
        ""                                                          -> None
      )
    ) assertEquals(RunningQuery.name(description, id), expected, description)
  }
}
