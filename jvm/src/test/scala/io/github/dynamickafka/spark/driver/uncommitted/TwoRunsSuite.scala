package io.github.dynamickafka.spark.driver.uncommitted

import java.io.IOException
import java.nio.file.{Files, Path}
import java.time.Clock

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import io.github.dynamickafka.spark.deferral.{BatchEnds, Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.fakes.{Query, Situations}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.OffsetRanges

/** An old driver that has not ended yet, and the next one on the same checkpoint: both have the same batch. */
class TwoRunsSuite extends FunSuite {
  private val place = FunFixture[Path](_ => Files.createTempDirectory("decisions"), _ => ())
  private val both  = listed("eu" -> topics("orders"), "us" -> topics("orders"))

  private def until(end: Int, held: SourceOffset = SourceOffset.initial) = Query(fromEarliest, held = held).sees(both)(
    Seq("eu", "us").map(_ -> answer("orders" -> has(0 -> end))): _*
  ).read.held

  private val start = until(10)
  private val end   = until(20, start)

  private class Run(place: Path, policy: UnreadableRangePolicy = UnreadableRangePolicy.Defer) {
    val deferrals = new Deferrals(
      policy,
      new DecisionFolder(place.toUri.toString, new Configuration),
      QueryLog.unnamed,
      Clock.systemUTC
    )
    val batch = new RunningBatch(deferrals, BatchEnds.Limits(1000, 100, needed = 1000), (_, _) => Some(true))

    /** It finds the batch unfinished, and begins it. */
    def begins(): Run = {
      deferrals.decide(Some(12), end, Vector.empty)
      batch.begin(Some(12), start, end, deferrals.left(OffsetRanges.between(start, end), end))
      this
    }

    def asks(us: TakenRange): Verdict =
      batch.answers(Vector(batch.number -> TaskReport(Vector(TakenRange(0, 20), us))), now = 5000).head

    /** Where the next offset goes on with `us`. */
    def next: Option[Long] =
      deferrals.rewound(
        end,
        both,
        Situations.policy.removal.policy,
        begin
      ).flatMap(_.get(partition("us", "orders", 0))).map(_.next)
  }

  private def stuck(at: Long) = TakenRange(1, at, Some(Standstill(1000, tookAny = true)))

  place.test("a driver that is late to end takes nothing away of what the next one has deferred") { place =>
    val old = new Run(place).begins()
    old.batch.answers(Vector(old.batch.number -> TaskReport(Vector(TakenRange(0, 20)))), 0): Unit
    val now = new Run(place).begins()
    assertEquals(now.asks(stuck(14)), Verdict.Ends: Verdict)
    intercept[IOException](old.batch.ending())
    assertEquals(new Run(place).next, Some(14L))
  }

  place.test("a driver that runs on beside the next one defers nothing, and the next one is not held up") { place =>
    val old = new Run(place).begins()
    val now = new Run(place).begins()
    intercept[IOException](old.asks(stuck(17)))
    assertEquals(now.asks(stuck(14)), Verdict.Ends: Verdict)
    intercept[IOException](old.asks(stuck(17)))
    assertEquals(new Run(place).next, Some(14L))
  }

  place.test("where the next driver has deferred nothing, nothing of the old one counts later") { place =>
    val old = new Run(place).begins()
    val now = new Run(place).begins()
    assertEquals(now.asks(TakenRange(1, 20)), Verdict.Ends: Verdict)
    intercept[IOException](old.asks(stuck(17)))
    now.deferrals.committed(end)
    intercept[IOException](old.asks(stuck(17)))
    assertEquals(new Run(place).next, None)
  }

  place.test("nor does it where the next driver waits") { place =>
    val old = new Run(place).begins()
    val now = new Run(place, UnreadableRangePolicy.Wait).begins()
    intercept[IOException](old.asks(stuck(17)))
    assertEquals(now.asks(TakenRange(1, 20)), Verdict.Ends: Verdict)
    assertEquals(new Run(place).next, None)
  }
}
