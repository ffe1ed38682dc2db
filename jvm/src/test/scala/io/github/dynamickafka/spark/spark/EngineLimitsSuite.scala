package io.github.dynamickafka.spark.spark

import java.time.Duration

import munit.FunSuite
import org.apache.spark.sql.connector.read.streaming.ReadLimit
import org.apache.spark.util.LongAccumulator

import io.github.dynamickafka.spark.metrics.RecordSizes
import io.github.dynamickafka.spark.options.{BatchLimits, LimitSettings, SkewSettings, TaskLimits}
import io.github.dynamickafka.spark.plan.{Least, ReadLimits}

class EngineLimitsSuite extends FunSuite {
  private val delay = Duration.ofMinutes(15)
  private val skew  = SkewSettings(Duration.ofMinutes(10), Duration.ofMinutes(10))

  private def allowed(batch: BatchLimits, skew: Option[SkewSettings] = None, sizes: Option[RecordSizes] = None) =
    EngineLimits.readLimits(EngineLimits.of(LimitSettings(batch, skew, TaskLimits())), sizes)

  private def sizes(records: Long, bytes: Long): RecordSizes = {
    val found = new RecordSizes(new LongAccumulator, new LongAccumulator)
    found.records.add(records)
    found.bytes.add(bytes)
    found
  }

  test("without limits, and where the engine asks for all there is, all is read at once") {
    assertEquals(allowed(BatchLimits(None, None, delay, None)), ReadLimits(None, None, aligned = true))
    assertEquals(EngineLimits.readLimits(ReadLimit.allAvailable(), None), ReadLimits.everything)
  }

  test("a query without limits is distinguished from the trigger Once, as one with any is") {
    for {
      most  <- Seq(None, Some(7L)); least <- Seq(None, Some(3L)); bytes <- Seq(None, Some(9L));
      skews <- Seq(None, Some(skew))
    } {
      val limit = EngineLimits.of(LimitSettings(BatchLimits(most, least, delay, bytes), skews, TaskLimits()))
      assert(!EngineLimits.once(limit), limit)
    }
    assert(EngineLimits.once(ReadLimit.allAvailable()))
  }

  test("each limit comes back through the engine") {
    assertEquals(allowed(BatchLimits(Some(7), None, delay, None)), ReadLimits(Some(7), None, aligned = true))
    assertEquals(
      allowed(BatchLimits(Some(7), Some(3), delay, None)),
      ReadLimits(Some(7), Some(Least(3, delay)), aligned = true)
    )
    assertEquals(
      allowed(BatchLimits(None, Some(3), delay, None)),
      ReadLimits(None, Some(Least(3, delay)), aligned = true)
    )
  }

  test("of a number of records and of bytes the smaller counts") {
    val measured = Some(sizes(records = 10, bytes = 1000))
    assertEquals(allowed(BatchLimits(Some(7), None, delay, Some(600)), None, measured).most, Some(6L))
    assertEquals(allowed(BatchLimits(Some(7), None, delay, Some(900)), None, measured).most, Some(7L))
    assertEquals(allowed(BatchLimits(None, None, delay, Some(4096)), None, Some(sizes(0, 0))).most, Some(4L))
  }

  test("a limit on the skew alone is a limit, and does not bound the number") {
    val only = allowed(BatchLimits(None, None, delay, None), Some(skew))
    assertEquals((only.aligned, only.most), (true, None))
  }
}
