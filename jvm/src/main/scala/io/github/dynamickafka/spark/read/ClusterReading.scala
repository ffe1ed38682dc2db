package io.github.dynamickafka.spark.read

import java.time.{Clock, Duration}
import java.util.{Collection => JCollection, Collections, HashMap => JHashMap, List => JList}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{ConsumerRecords, OffsetOutOfRangeException}
import org.apache.kafka.common.{KafkaException, TopicPartition}
import org.apache.kafka.common.errors.{InterruptException, RetriableException, WakeupException}
import org.apache.spark.unsafe.types.UTF8String
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.columns.RecordBatch
import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metrics.{ReadFigures, RecordSizes}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.Extent

/** One cluster's part of a task: a borrowed consumer and the ranges that it still has to read. Of these it fetches the
  * partitions that it was told to open.
  *
  * @param room of the task, which is told what is read to its end
  * @param watch runs while the task waits for Kafka
  * @param clock what event times are compared with
  */
final private[read] class ClusterReading(
    part: ClusterPart,
    lease: Lease,
    room: FetchRoom,
    settings: ReadSettings,
    figures: ReadFigures,
    watch: Stopwatch,
    clock: Clock
) {
  import ClusterReading._
  import part.{placeBytes, ranges}

  def cluster: ClusterId = part.cluster

  private val text    = UTF8String.fromString(cluster.value)
  private val streams = new JHashMap[String, UTF8String]
  ranges.foreach(range => streams.put(range.id.topic, UTF8String.fromString(range.stream.value)))

  // Cells of the inner loop: partitions that are fetched and not read to their end, those that wait for that, whether
  // the consumer was told to begin, when the last of the open ones moved, why a poll failed since, and how often in vain
  // it was asked what partitions hold, and when it may be again.
  private val open                       = new JHashMap[TopicPartition, OpenPartition]
  private val waiting                    = openPartitions(ranges)
  private var begun                      = false
  private var moved                      = 0L
  private var retried: Option[Exception] = None
  private var inVain                     = 0
  private var askAgain                   = 0L

  /** Whether a poll may bring anything. */
  def fetching: Boolean = !open.isEmpty

  /** Fetches these partitions too, from the next poll on; waits for nothing but a first connection's set-up on this side,
    * and for a login that asks a token endpoint.
    *
    * @param partitions of its ranges, each opened once
    */
  def open(partitions: Iterable[TopicPartition]): Unit = {
    // The time in which all of its partitions waited for others is not its silence.
    if (!fetching) moved = watch.elapsed
    val starts = new JHashMap[TopicPartition, java.lang.Long]
    partitions.foreach { partition =>
      val reading = waiting.remove(partition)
      open.put(partition, reading)
      starts.put(partition, reading.position)
    }
    guarded {
      val consumer =
        try lease.consumer
        catch { case e: DynamicKafkaException => throw ReadFailures.notOpened(unread, e) }
      if (begun) consumer.extend(starts)
      else {
        begun = true
        if (!room.begin(consumer.holds(partitions))) consumer.forget()
        consumer.begin(starts)
      }
    }
  }

  /** Has the consumer let go of partitions whose room others take. */
  def settle(): Unit = if (begun) guarded(lease.consumer.settle())

  /** What arrives within this time, as soon as anything does; empty if nothing did.
    *
    * @throws DynamicKafkaException see [[ReadFailures]]
    * @throws InterruptedException if the task is stopped meanwhile
    */
  def poll(timeout: Duration): RecordBatch = {
    val batch =
      try guarded(takenOrPassedOver(timeout))
      catch {
        case e: RetriableException =>
          retried = Some(e)
          RecordBatch.empty
      }
    if (fetching && watch.elapsed - moved > settings.readTimeout.toNanos) {
      lease.clusterFailed()
      throw ReadFailures.silent(unread, settings.readTimeout, retried)
    }
    batch
  }

  private def takenOrPassedOver(timeout: Duration): RecordBatch =
    try taken(lease.consumer.poll(timeout))
    catch {
      case e: OffsetOutOfRangeException =>
        passOver(e.offsetOutOfRangePartitions.keySet, e)
        RecordBatch.empty
    }

  // All partitions of a poll become one batch, for each batch costs a round of Spark's own bookkeeping, and columns look
  // into Kafka's records without a copy of what they hold (`make bench-quick ARGS=throughput`).
  private def taken(fetched: ConsumerRecords[Array[Byte], Array[Byte]]): RecordBatch = {
    val records = new Array[Record](fetched.count)
    var count   = 0
    fetched.nextOffsets.forEach { (partition, next) =>
      val reading = open.get(partition)
      // Absent: a partition that was just paused.
      if (reading != null) {
        val found = fetched.records(partition)
        count = reading.take(found, records, count)
        moveTo(reading, next.offset, found)
      }
    }
    if (count == 0) RecordBatch.empty
    else {
      tellLateness(records, count)
      figures.sizes.foreach(tellSizes(records, count, _))
      new RecordBatch(records, count, text, streams)
    }
  }

  private def moveTo(reading: OpenPartition, offset: Long, found: JList[Record]): Unit = {
    moved = watch.elapsed
    retried = None
    val until  = reading.range.until
    val beyond = reading.beyond(found)
    if (reading.moveTo(offset))
      if (reading.finished) end(reading.partition, until, beyond)
      else lease.consumer.seek(reading.partition, reading.position)
  }

  private def end(partition: TopicPartition, until: Long, beyond: JList[Record]): Unit = {
    open.remove(partition)
    val consumer = lease.consumer
    if (room.end(placeBytes, consumer.holds(Seq(partition)), consumer.wouldHold(beyond)))
      consumer.keep(partition, until, beyond)
    else consumer.drop(partition)
  }

  // Kafka says that the log does not hold the next offset. Offsets before its oldest record aged out; offsets after its
  // end were cut off, and what is written there later is other data.
  private def passOver(partitions: JCollection[TopicPartition], cause: OffsetOutOfRangeException): Unit =
    if (watch.elapsed < askAgain) retried = retried.orElse(Some(cause))
    else extents(partitions).foreach { case (partition, held) =>
      Option(open.get(partition)).foreach(passOver(partition, _, held, cause))
    }

  // The other clusters of the task wait meanwhile. So what does not answer is waited for a little longer each time, and
  // asked again only when the others had most of the time.
  private def extents(partitions: JCollection[TopicPartition]): Map[TopicPartition, Extent] = {
    val left  = (settings.readTimeout.toNanos - (watch.elapsed - moved)).max(0)
    val asked = watch.elapsed
    try {
      val found =
        lease.consumer.extents(partitions, Duration.ofNanos(left.min(Patience(inVain.min(Patience.size - 1)))))
      inVain = 0
      found
    } catch {
      case e: RetriableException =>
        inVain += 1
        askAgain = watch.elapsed + OthersShare * (watch.elapsed - asked)
        throw e
    }
  }

  private def passOver(
      partition: TopicPartition,
      reading: OpenPartition,
      held: Extent,
      cause: OffsetOutOfRangeException
  ): Unit = {
    val at = reading.position
    if (held.earliest <= at && at <= held.latest) {
      // A replica that was behind; the next poll asks again.
      retried = Some(cause)
      lease.consumer.seek(partition, at)
    } else if (settings.failOnDataLoss) throw ReadFailures.lost(reading.range, at, held, cause)
    else {
      val range  = reading.range
      val resume = if (at < held.earliest) held.earliest.min(range.until) else range.until
      log.warn(s"${Condition.DataLoss} ${ReadFailures.lostText(range, at, held)}. It goes on at offset $resume.")
      figures.lostRecords.add(resume - at)
      lease.consumer.seek(partition, resume)
      moveTo(reading, resume, Collections.emptyList)
    }
  }

  private def tellLateness(records: Array[Record], count: Int): Unit = {
    var oldest = Long.MaxValue
    var i      = 0
    while (i < count) {
      val time = records(i).timestamp
      // Negative: the record has none.
      if (time < oldest && time >= 0) oldest = time
      i += 1
    }
    if (oldest != Long.MaxValue) figures.lateness.add(clock.millis - oldest)
  }

  private def tellSizes(records: Array[Record], count: Int, sizes: RecordSizes): Unit = {
    var bytes = 0L
    var i     = 0
    while (i < count) {
      bytes += RecordSize.of(records(i))
      i += 1
    }
    sizes.records.add(count.toLong)
    sizes.bytes.add(bytes)
  }

  private def unread: ClusterPart =
    part.copy(ranges = (open.values.asScala ++ waiting.values.asScala).flatMap(_.unread).toVector.sortBy(_.id))

  /** What a consumer did not finish properly nobody goes on with. */
  private def guarded[A](call: => A): A =
    try call
    catch {
      case e @ (_: InterruptException | _: WakeupException) =>
        lease.failed()
        // Kafka sets the thread's flag again; what Spark waits for is the checked exception, which clears it.
        Thread.interrupted(): Unit
        throw new InterruptedException(s"stopped while reading cluster $cluster: ${e.getMessage}")
      case e: RetriableException => throw e
      case e: KafkaException     =>
        lease.clusterFailed()
        throw ReadFailures.of(unread, e)
      case e: Throwable =>
        lease.failed()
        throw e
    }
}

private object ClusterReading {
  private val log = LoggerFactory.getLogger(classOf[ClusterReading])

  // Leaders that are well answer at the first try, over slow links too. In nanoseconds.
  private val Patience    = Vector(1L, 2L, 4L, 8L).map(Duration.ofSeconds(_).toNanos)
  private val OthersShare = 4L

  /** Ranges of one partition, if a task has several, are read one after the other; touching ones as one. */
  def openPartitions(ranges: Seq[OffsetRange]): JHashMap[TopicPartition, OpenPartition] = {
    val open = new JHashMap[TopicPartition, OpenPartition]
    ranges.groupBy(range => new TopicPartition(range.id.topic, range.id.partition)).foreach { case (partition, parts) =>
      val sorted = parts.sortBy(_.from).foldLeft(List.empty[OffsetRange]) {
        case (last :: rest, range) if last.until == range.from => last.copy(until = range.until) :: rest
        case (before, range)                                   => range :: before
      }
      open.put(partition, new OpenPartition(partition, sorted.reverse)): Unit
    }
    open
  }
}
