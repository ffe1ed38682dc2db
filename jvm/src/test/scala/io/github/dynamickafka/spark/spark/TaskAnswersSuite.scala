package io.github.dynamickafka.spark.spark

import java.time.Clock

import munit.FunSuite

import io.github.dynamickafka.spark.deferral.{BatchEnds, Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.driver.uncommitted.{Deferrals, RunningBatch}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.OffsetRanges

/** What tasks hear, by the executor on which they run. */
class TaskAnswersSuite extends FunSuite {
  private val here  = listed("eu" -> topics("orders"))
  private val start = Query(fromEarliest).sees(here)("eu" -> answer("orders" -> has(0 -> 10))).read.held
  private val end   = Query(fromEarliest, held = start).sees(here)("eu" -> answer("orders" -> has(0 -> 20))).read.held

  private class Driver {
    val batch = new RunningBatch(
      new Deferrals(UnreadableRangePolicy.Defer, new InMemoryDecisionStore, QueryLog.unnamed, Clock.systemUTC),
      BatchEnds.Limits(1000, 100, needed = 1000),
      (_, _) => Some(true)
    )
    val answers = new TaskAnswers(batch)
    begins()

    def begins(): Unit = batch.begin(None, start, end, OffsetRanges.between(start, end)): Unit

    def asked(messages: AnyRef*): Vector[Verdict] = answers.of(messages.toVector, 5000).map(TaskMessages.verdict)

    def ends(executor: String, next: Long = 20, number: Int = batch.number): AnyRef =
      TaskMessages.report(number, executor, TaskReport(Vector(TakenRange(0, next))))
  }

  private val refused: Verdict = Verdict.RunsAgain(Map.empty)

  test("a task of an executor that Spark has given up ends nothing; the task that runs instead does") {
    val driver = new Driver
    driver.answers.lost("1")
    val stuck = TaskReport(Vector(TakenRange(0, 14, Some(Standstill(2000, tookAny = true)))))
    assertEquals(driver.asked(TaskMessages.report(driver.batch.number, "1", stuck)), Vector(refused))
    assertEquals(driver.batch.known(driver.batch.number, Vector(0)), Map.empty[Int, Long])
    assertEquals(driver.asked(driver.ends("1"), driver.ends("2")), Vector(refused, Verdict.Ends))
  }

  test("one that Spark takes up again is answered") {
    val driver = new Driver
    driver.answers.lost("1")
    driver.answers.came("1")
    assertEquals(driver.asked(driver.ends("1")), Vector[Verdict](Verdict.Ends))
  }

  test("lost executors are remembered for the batch that runs, and none between batches") {
    val driver = new Driver
    val old    = driver.batch.number
    (1 to 5).foreach(number => driver.answers.lost(number.toString))
    assertEquals(driver.answers.remembered, 5)
    driver.batch.finished(end)
    driver.answers.lost("6")
    assertEquals(driver.answers.remembered, 0)
    driver.begins()
    assertEquals(driver.asked(driver.ends("1", number = old), driver.ends("2")), Vector(refused, Verdict.Ends))
  }

  test("a thousand tasks that ask at once are answered in their order, and what is no message fails alone") {
    val driver = new Driver
    val many   = Vector.fill(1000)(driver.ends("1"))
    val all    = many.patch(500, Vector("nonsense": AnyRef, TaskMessages.known(driver.batch.number, Vector(0))), 0)
    val said   = driver.answers.of(all, 0)
    assertEquals(said.size, 1002)
    intercept[IllegalArgumentException](TaskMessages.verdict(said(500)))
    assertEquals(said.patch(500, Nil, 2).map(TaskMessages.verdict).toSet, Set[Verdict](Verdict.Ends))
  }
}
