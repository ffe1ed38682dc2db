package io.github.dynamickafka.spark.read

import java.time.{Clock, Duration}
import java.util.{Collection => JCollection, HashMap => JHashMap}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{ConsumerRecords, OffsetOutOfRangeException}
import org.apache.kafka.common.{KafkaException, TopicPartition}
import org.apache.kafka.common.errors.{InterruptException, RetriableException, WakeupException}
import org.apache.spark.unsafe.types.UTF8String
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.columns.RecordBatch
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.metrics.ReadFigures
import io.github.dynamickafka.spark.read.OpenPartition.{Finished, NextRange, Progress, Within}
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** Reads one cluster's part of a task: the partitions that it was asked to fetch, each to the end of its ranges.
  *
  * `fetch` and `poll` may be called in any order and any number of times. Nothing is polled before something is fetched,
  * and no poll goes on with what was read to its end.
  *
  * @param room of the task, which decides what is kept of a partition that is read to its end
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

  def cluster: ClusterId = part.cluster

  private val text    = UTF8String.fromString(cluster.value)
  private val streams = new JHashMap[String, UTF8String]
  part.ranges.foreach(range => streams.put(range.id.topic, UTF8String.fromString(range.stream.value)))

  // Variables of the inner loop: the partitions that wait until they are fetched, those that are fetched and not read to
  // their end, and for how long none of these has advanced.
  private val waiting = new JHashMap[TopicPartition, OpenPartition]
  private val open    = new JHashMap[TopicPartition, OpenPartition]
  private var stall   = ReadStall()
  OpenPartition.of(part.ranges).foreach(one => waiting.put(one.partition, one))

  /** Whether a poll may bring anything. */
  def fetching: Boolean = !open.isEmpty

  /** From the next poll on fetches these partitions too. The consumer also lets go of the partitions that were read to
    * their end and are not kept, whose room these may take. Waits for nothing but the set-up of a first connection on
    * this side, and for a login that asks a token endpoint.
    *
    * @param more partitions of its ranges that wait; may be empty
    */
  def fetch(more: Iterable[TopicPartition]): Unit = {
    // The time in which all of its partitions waited for others is not its silence.
    if (!fetching && more.nonEmpty) stall = stall.begun(watch.elapsed)
    val opened = more.flatMap(partition => Option(waiting.remove(partition)))
    opened.foreach(one => open.put(one.partition, one))
    val starts = opened.iterator.map(one => one.partition -> one.position).toMap
    guarded(lease.borrowed match {
      case Some(consumer)          => consumer.extend(starts)
      case None if starts.nonEmpty => borrow().begin(starts)(room.begin)
      case None                    => ()
    })
  }

  // A new consumer has read nothing, so this ends.
  @tailrec
  private def borrow(): WarmConsumer = {
    val consumer =
      try lease.consumer
      catch { case e: DynamicKafkaException => throw ReadFailures.notOpened(unread, e) }
    if (consumer.mayRead(part.topicIds)) consumer
    else {
      lease.exchange()
      borrow()
    }
  }

  /** What arrives within this time, as soon as anything does; empty if nothing did.
    *
    * @throws DynamicKafkaException see [[ReadFailures]]
    * @throws InterruptedException if the task is stopped meanwhile
    */
  def poll(timeout: Duration): RecordBatch =
    if (!fetching) RecordBatch.empty
    else {
      val batch =
        try guarded(takenOrPassedOver(timeout))
        catch {
          case e: RetriableException =>
            stall = stall.failed(e)
            RecordBatch.empty
        }
      if (fetching && stall.lasts(watch.elapsed) > settings.readTimeout.toNanos) {
        lease.clusterFailed()
        throw ReadFailures.silent(unread, settings.readTimeout, stall.cause)
      }
      batch
    }

  private def takenOrPassedOver(timeout: Duration): RecordBatch =
    try taken(lease.consumer.poll(timeout))
    catch {
      case e: OffsetOutOfRangeException =>
        passOver(e)
        RecordBatch.empty
    }

  // All partitions of a poll become one batch, because each batch costs a round of Spark's own bookkeeping. Columns take
  // values from Kafka's records without copying them (`make bench-quick ARGS=throughput`).
  private def taken(fetched: ConsumerRecords[Array[Byte], Array[Byte]]): RecordBatch = {
    val records = new PolledRecords(fetched.count)
    fetched.nextOffsets.forEach { (partition, next) =>
      val reading = open.get(partition)
      // Null for a partition that was just paused.
      if (reading != null) moved(reading, reading.take(fetched.records(partition), next.offset, records))
    }
    if (!records.isEmpty) measure(records)
    records.batch(text, streams)
  }

  private def moved(reading: OpenPartition, to: Progress): Unit = {
    stall = stall.broken(watch.elapsed)
    to match {
      case Within                  => ()
      case NextRange(from)         => lease.consumer.seek(reading.partition, from)
      case Finished(until, beyond) =>
        open.remove(reading.partition)
        report(reading, until)
        lease.consumer.end(reading.partition, until, beyond)(room.end(part.placeBytes, _, _))
    }
  }

  private def report(reading: OpenPartition, until: Long): Unit = for {
    times <- figures.times
    time  <- reading.lastTime
  } times.add(PartitionId(cluster, reading.partition.topic, reading.partition.partition), until, time)

  private def measure(records: PolledRecords): Unit = {
    records.oldest.foreach(time => figures.lateness.add(clock.millis - time))
    figures.sizes.filter(_.open).foreach { sizes =>
      sizes.records.add(records.size.toLong)
      sizes.bytes.add(records.bytes)
    }
  }

  // Kafka reports that the log does not hold the next offset. Offsets before its oldest record aged out. Offsets after
  // its end were cut off, and what is written there later is other data.
  private def passOver(e: OffsetOutOfRangeException): Unit =
    if (!stall.mayAsk(watch.elapsed)) stall = stall.failedStill(e)
    else extents(e.offsetOutOfRangePartitions.keySet).foreach { case (partition, held) =>
      Option(open.get(partition)).foreach(passOver(_, held, e))
    }

  private def extents(partitions: JCollection[TopicPartition]): Map[TopicPartition, Extent] = {
    val asked = watch.elapsed
    try {
      val found = lease.consumer.extents(partitions, stall.patience(asked, settings.readTimeout.toNanos))
      stall = stall.answered
      found
    } catch {
      case e: RetriableException =>
        stall = stall.noAnswer(asked, watch.elapsed)
        throw e
    }
  }

  private def passOver(reading: OpenPartition, held: Extent, cause: OffsetOutOfRangeException): Unit = {
    val (at, range) = (reading.position, reading.range)
    if (held.earliest <= at && at <= held.latest) {
      // The answer came from a replica that was behind. The next poll asks again.
      stall = stall.failed(cause)
      lease.consumer.seek(reading.partition, at)
    } else if (settings.failOnDataLoss) throw ReadFailures.lost(range, at, held, cause)
    else {
      val resume = if (at < held.earliest) held.earliest.min(range.until) else range.until
      log.warn(s"${Condition.DataLoss} ${ReadFailures.lostText(range, at, held)}. Reading resumes at offset $resume.")
      figures.lostRecords.add(resume - at)
      lease.consumer.seek(reading.partition, resume)
      moved(reading, reading.passTo(resume))
    }
  }

  private def unread: ClusterPart =
    part.copy(ranges = (open.values.asScala ++ waiting.values.asScala).flatMap(_.unread).toVector.sortBy(_.id))

  /** A consumer whose call did not end properly is not used again. */
  private def guarded[A](call: => A): A =
    try call
    catch {
      case e @ (_: InterruptException | _: WakeupException) =>
        lease.failed()
        // Kafka sets the thread's interrupt flag again. Spark waits for the checked exception, which clears it.
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
}
