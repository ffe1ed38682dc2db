package io.github.dynamickafka.spark.spark

/** By texts of plans as Spark 4.2 shows them. */
class QueryShapeSuite extends munit.FunSuite {
  private val counted = """~Aggregate [window#8-T60000ms], [window#8-T60000ms, count(1) AS count#4L]
    |+- ~Project [named_struct(start, knownnullable(timestamp#0)) AS window#8]
    |   +- ~Filter isnotnull(timestamp#0-T60000ms)
    |      +- ~Union false, false
    |         :- ~EventTimeWatermark 8edcd7b0-ebde-49c4-a0e6-451d1b3232e3, timestamp#0: timestamp, 1 minutes
    |         :  +- ~StreamingRelationV2 org.example.First@54691405, dynamic-kafka, [timestamp#0, value#1L]
    |         +- ~EventTimeWatermark 515eeea2-9087-4614-866e-48f72ff2ff82, timestamp#2: timestamp, 1 minutes
    |            +- ~StreamingRelationV2 org.example.Second@6df91b0, kafka, [timestamp#2, value#3L]
    |""".stripMargin
  private val alone = """~Project [value#1L, Aggregate AS name#2]
    |+- ~StreamingRelationV2 org.example.First@54691405, dynamic-kafka, [timestamp#0, value#1L]
    |""".stripMargin
  private val joined = """~Join Inner, (value#1L = id#9L)
    |:- ~StreamingRelationV2 org.example.First@54691405, dynamic-kafka, [timestamp#0, value#1L]
    |+- Aggregate [id#9L], [id#9L]
    |   +- Range (0, 3, step=1)
    |""".stripMargin

  test("sources and the tasks behind shuffles are counted") {
    assertEquals(QueryShape.of(counted, 2), QueryShape(sources = 2, others = 2))
    assertEquals(QueryShape.of(alone, 2), QueryShape(sources = 1, others = 0))
    assertEquals(QueryShape.of(joined, 200), QueryShape(sources = 1, others = 200))
  }

  test("all sources share what other stages leave, and each has a task") {
    assertEquals(QueryShape(1, 0).tasks(8), 8)
    assertEquals(QueryShape(2, 0).tasks(8), 4)
    assertEquals(QueryShape(2, 3).tasks(8), 2)
    assertEquals(QueryShape(1, 200).tasks(8), 1)
    assertEquals(QueryShape(0, 0).tasks(8), 8)
  }

  test("of a thread that is none of a query nothing is known") {
    assertEquals(QueryShape.of(Thread.currentThread, 2), None)
  }
}
