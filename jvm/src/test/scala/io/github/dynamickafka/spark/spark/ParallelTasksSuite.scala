package io.github.dynamickafka.spark.spark

import io.github.dynamickafka.spark.plan.TaskSlots

class ParallelTasksSuite extends munit.FunSuite {
  private def slots(parallelism: Int, executors: Int)(settings: (String, String)*): TaskSlots =
    ParallelTasks.slots(parallelism, executors, settings.toMap.get)

  private val dynamic = "spark.dynamicAllocation.enabled" -> "true"

  test("what runs at once is the most, where executors neither come nor go") {
    assertEquals(slots(8, 4)("spark.executor.cores" -> "2"), TaskSlots(8, 2))
    assertEquals(slots(2, 0)(), TaskSlots(2, 2))
    assertEquals(slots(8, 3)("spark.dynamicAllocation.enabled" -> "false"), TaskSlots(8, 3))
  }

  test("where Spark may bring more executors, all of them count") {
    val ten = "spark.dynamicAllocation.maxExecutors" -> "10"
    assertEquals(slots(4, 1)(dynamic, ten, "spark.executor.cores" -> "4"), TaskSlots(40, 4))
    assertEquals(slots(4, 1)(dynamic, ten, "spark.executor.cores" -> "4", "spark.task.cpus" -> "2"), TaskSlots(20, 4))
    // By default an executor has all cores of its machine.
    assertEquals(slots(8, 2)(dynamic, ten), TaskSlots(40, 4))
  }

  test("without a limit of executors there is none of tasks") {
    assertEquals(slots(2, 1)(dynamic).atOnce, Int.MaxValue)
    assertEquals(slots(2, 1)(dynamic, "spark.dynamicAllocation.maxExecutors" -> "2147483647").atOnce, Int.MaxValue)
  }

  test("in Real-Time Mode the cores that are there count, and no default of parallelism") {
    def now(master: String, parallelism: Int, executors: Int)(settings: (String, String)*) =
      ParallelTasks.now(master, parallelism, executors, settings.toMap.get)
    assertEquals(now("local[4]", 200, 0)("spark.default.parallelism" -> "200"), 4)
    assertEquals(now("local", 200, 0)(), 1)
    assertEquals(now("local[2, 3]", 8, 0)(), 2)
    assertEquals(now("local[*]", 1, 0)(), Runtime.getRuntime.availableProcessors)
    assertEquals(now("spark://a:7077", 200, 3)("spark.executor.cores" -> "4", "spark.task.cpus" -> "2"), 6)
    assertEquals(now("spark://a:7077", 12, 3)(), 12)
    // Spark's default is never less than 2.
    assertEquals(now("k8s://https://a", 2, 1)(), 1)
    assertEquals(now("yarn", 2, 0)("spark.executor.cores" -> "1", "spark.task.cpus" -> "2"), 1)
  }

  test("executors that are there beyond the limit, or asked for by hand, still count") {
    assertEquals(slots(16, 4)(dynamic, "spark.dynamicAllocation.maxExecutors" -> "2").atOnce, 16)
  }
}
