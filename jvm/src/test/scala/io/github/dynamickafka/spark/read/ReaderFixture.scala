package io.github.dynamickafka.spark.read

import java.time.{Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.StructType
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.deferral.DriverLink
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{ManualClock, RecordedKafka}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures, RecordSizes}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** An executor with a `RecordedKafka`. */
final class ReaderFixture(
    val kafka: RecordedKafka,
    failOnDataLoss: Boolean = true,
    advice: String = "",
    fetchBytes: Long = 128L << 20,
    more: Map[String, String] = Map.empty,
    kafkaIds: Map[ClusterId, String] = Map.empty,
    tick: Duration = Duration.ofSeconds(1),
    executorBytes: Long = Long.MaxValue
) {
  val sizes   = new RecordSizes(new LongAccumulator, new LongAccumulator)
  val figures = new ReadFigures(
    new LargestValue(new CollectionAccumulator),
    new LongAccumulator,
    Some(sizes)
  )
  val clock    = new ManualClock(Instant.ofEpochMilli(1000))
  val cleaning = mutable.ListBuffer.empty[Runnable]
  val pool     = new ConsumerPool(kafka, clock, cleaning += _)
  var stopped  = false

  // Each reading of the clock is a tick later than the one before.
  private var time = Duration.ZERO

  def advance(by: Duration): Unit = time = time.plus(by)

  def elapsed: Duration = time

  private val settings = ReadSettings(
    Duration.ofSeconds(120),
    Duration.ofSeconds(60),
    fetchBytes,
    "prefix",
    failOnDataLoss,
    advice,
    Some(executorBytes)
  )

  private val connections = Map("eu" -> "s3cret", "us" -> "t0psecret").map { case (cluster, password) =>
    ClusterId(cluster) -> new ConnectionSettings(Map("sasl.jaas.config" -> password) ++ more)
  }

  def factory(schema: StructType = RowSchema.all, link: Option[DriverLink] = None): RangeReaderFactory =
    new RangeReaderFactory(connections, kafkaIds, settings, schema, figures, link)

  /** A reader as an executor makes it.
    *
    * @param again whether others may have read the same before
    */
  def linked(link: DriverLink, again: Boolean)(ranges: OffsetRange*): RangeReader = factory(link = Some(link))
    .reader(new TaskRanges(ranges.toArray, numbers = ranges.indices.toArray), task.copy(again = again))

  def reader(ranges: OffsetRange*): RangeReader = factory().reader(ranges.toVector, task)

  /** A reader whose task ends by the driver's word. */
  def ending(ranges: Vector[OffsetRange])(end: Stopwatch => TaskEnd): RangeReader =
    factory().reader(ranges, task, watch => Some(end(watch)))

  // Nobody sleeps: the time goes on.
  def sleep(millis: Long): Unit = advance(Duration.ofMillis(millis))

  private def task =
    TaskEnvironment(pool, () => stopped, clock, () => { advance(tick); time.toNanos }, sleep)

  /** Each record as `cluster topic partition offset stream`. Reads all and closes the reader. */
  def rows(ranges: OffsetRange*): Vector[String] = read(reader(ranges: _*))

  /** The same by a task of a batch. */
  def rows(link: DriverLink, again: Boolean)(ranges: OffsetRange*): Vector[String] =
    read(linked(link, again)(ranges: _*))

  private def read(open: RangeReader): Vector[String] =
    try drained(open)
    finally open.close()

  def drained(reader: RangeReader): Vector[String] =
    Iterator.continually(reader).takeWhile(_.next()).flatMap(batchRows).toVector

  def batchRows(reader: RangeReader): Vector[String] =
    reader.get().rowIterator.asScala.map { row =>
      s"${row.getUTF8String(8)} ${row.getUTF8String(2)} ${row.getInt(3)} ${row.getLong(4)} ${row.getUTF8String(9)}"
    }.toVector

  def failure(body: => Any): (Condition, String) =
    try {
      body: Unit
      throw new AssertionError("nothing failed")
    } catch { case e: DynamicKafkaException => e.condition -> e.detail }
}

object ReaderFixture {

  /** Of a task that is alone on an executor without a limit. */
  private[read] def window(limit: Long, byCluster: Seq[Seq[FetchWindow.Place]]): FetchWindow = {
    val share = new FetchShare(new AtomicReference(FetchBudget()), FetchBudget.Limits(limit, Long.MaxValue), _ => ())
    FetchWindow.of(share, byCluster)
  }

  def range(cluster: String, topic: String, partition: Int)(from: Long, until: Long): OffsetRange =
    OffsetRange(PartitionId(ClusterId(cluster), topic, partition), from, until, StreamId(s"stream-$topic"))
}
