package io.github.dynamickafka.spark.spark

import java.io.IOException
import java.time.Clock
import java.util.UUID
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import munit.FunSuite
import org.apache.spark.{SparkConf, SparkContext}

import io.github.dynamickafka.spark.deferral.{BatchEnds, Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.driver.uncommitted.{DecisionStore, Deferrals, RunningBatch}
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.OffsetRanges

/** What a task hears over Spark's own RPC while the driver can't write its decision: it must ask again, as it does when
  * the driver does not answer. `TaskEnd` waits for an `IOException` alone; any other exception fails the attempt.
  */
class UndecidedTasksSuite extends FunSuite {
  private val here                = listed("eu" -> topics("orders"))
  private val start: SourceOffset =
    Query(fromEarliest).sees(here)("eu" -> answer("orders" -> has(0 -> 10))).read.held
  private val end: SourceOffset =
    Query(fromEarliest, held = start).sees(here)("eu" -> answer("orders" -> has(0 -> 20))).read.held

  private lazy val context = new SparkContext(
    new SparkConf(false).setMaster("local[1]").setAppName("undecided").set("spark.ui.enabled", "false")
      .set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
  )

  override def afterAll(): Unit = context.stop()

  /** A store that is away for so many writes. */
  private class Away(writes: Int) extends DecisionStore {
    private val left = new AtomicInteger(writes)
    private val kept = new AtomicReference(Option.empty[String])

    override def name: String              = "kept"
    override def read(): Option[String]    = kept.get
    override def write(text: String): Unit =
      if (left.getAndDecrement() > 0) throw new IOException("the store of the checkpoint is away for a moment")
      else kept.set(Some(text))
  }

  private val stuck = TaskReport(Vector(TakenRange(0, 14, Some(Standstill(2000, tookAny = true)))))

  private def asking(writes: Int)(body: TaskLink => Unit): Unit = {
    val batch = new RunningBatch(
      new Deferrals(UnreadableRangePolicy.Defer, new Away(writes), QueryLog.unnamed, Clock.systemUTC),
      BatchEnds.Limits(1000, 100, needed = 1000),
      (_, _) => Some(true)
    )
    batch.begin(None, start, end, OffsetRanges.between(start, end))
    val name = s"dynamic-kafka-ends-${UUID.randomUUID}"
    val ends = new TaskEnds(batch, name, context)
    try body(new TaskLink(name, batch.number, 30000L, true))
    finally ends.close()
  }

  test("a decision that is written is answered") {
    asking(writes = 0)(link => assertEquals(link.ask(stuck), Verdict.Ends: Verdict))
  }

  test("while a decision can't be written, a task is asked to ask again: no exception that fails its attempt") {
    asking(writes = 1) { link =>
      intercept[IOException](link.ask(stuck)): Unit
      assertEquals(link.ask(stuck), Verdict.Ends: Verdict)
    }
  }
}
