package io.github.dynamickafka.spark.spark

import java.time.Duration

import org.apache.spark.sql.connector.read.streaming.{
  CompositeReadLimit,
  ReadAllAvailable,
  ReadLimit,
  ReadMaxBytes,
  ReadMaxRows,
  ReadMinRows
}

import io.github.dynamickafka.spark.metrics.RecordSizes
import io.github.dynamickafka.spark.options.LimitSettings
import io.github.dynamickafka.spark.plan.{Least, ReadLimits}

/** The limits of a batch, as Spark's engine passes them. It passes back the limits that it got at the start. With the
  * trigger `Once` it ignores these, and asks for all records.
  */
object EngineLimits {

  /** The limits by the options. They differ from "all records" even if there are none, so that `Once` differs from a
    * query without limits.
    */
  def of(settings: LimitSettings): ReadLimit = {
    val batch = settings.batch
    val parts = batch.maxOffsets.map(ReadLimit.maxRows(_)).toVector ++
      batch.minOffsets.map(ReadLimit.minRows(_, batch.maxDelay.toMillis)) ++
      batch.maxBytes.map(ReadLimit.maxBytes(_))
    parts match {
      case Vector(one) => one
      case others      => ReadLimit.compositeLimit(others.toArray)
    }
  }

  /** Whether the batch is the only one of its run: the trigger is `Once`. Spark falls back on that too where a query of
    * `AvailableNow` has another source that can't have several batches.
    */
  def once(limit: ReadLimit): Boolean = limit == ReadLimit.allAvailable()

  /** @param sizes of the records read so far, if they are measured */
  def readLimits(limit: ReadLimit, sizes: Option[RecordSizes]): ReadLimits = limit match {
    case _: ReadAllAvailable => ReadLimits.everything
    case _                   =>
      val parts = limit match {
        case all: CompositeReadLimit => all.getReadLimits.toVector
        case one                     => Vector(one)
      }
      val most = parts.collect {
        case rows: ReadMaxRows   => rows.maxRows
        case bytes: ReadMaxBytes =>
          ReadLimits.records(bytes.maxBytes, sizes.fold(0L)(_.records.value), sizes.fold(0L)(_.bytes.value))
      }.minOption
      val least = parts.collectFirst { case rows: ReadMinRows =>
        Least(rows.minRows, Duration.ofMillis(rows.maxTriggerDelayMs))
      }
      ReadLimits(most, least, aligned = true)
  }
}
