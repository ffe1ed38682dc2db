package io.github.dynamickafka.spark.read

import java.time.{Clock, Duration}
import java.util.{HashMap => JHashMap}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{ConsumerRecords, OffsetOutOfRangeException}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.RetriableException

import io.github.dynamickafka.spark.columns.RecordBatch
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.metrics.ReadFigures
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.OpenPartition.{Finished, NextRange, Progress, Within}

/** Reads one cluster's part of a task: the partitions that it was asked to fetch, each to the end of its ranges.
  *
  * `fetch` and `poll` may be called in any order and any number of times. Before the first `fetch` a poll brings nothing,
  * and later ones bring no more of a partition that was read to its end.
  *
  * @param room of the task, which decides what is kept of a partition that is read to its end
  * @param watch runs while the task waits for Kafka
  * @param clock what event times are compared with
  */
final private[read] class ClusterReading(
    part: ClusterPart,
    lease: Lease,
    room: FetchWindow,
    settings: ReadSettings,
    figures: ReadFigures,
    watch: Stopwatch,
    clock: Clock
) {
  // Polls change these: all partitions, those that are fetched and not read to their end, and whether the cluster failed.
  private val all    = OpenPartition.of(part.ranges).map(one => one.partition -> one).toMap
  private val open   = new JHashMap[TopicPartition, OpenPartition]
  private var broken = false
  // When a client is opened again; set while no address of the cluster can be resolved here.
  private var openAgain = Option.empty[Long]

  private val asks   = new LogQuestions(lease, watch, settings.readTimeout, settings.agreement, () => unread)
  private val losses = new LostRecords(open, lease, asks, settings.failOnDataLoss, figures.lostRecords, advance)

  def cluster: ClusterId = part.cluster

  /** For how long nothing has come, in nanoseconds of the watch. */
  def standsFor(now: Long): Long = asks.lasts(now)

  /** Whether it has failed, or no client of it can be opened now: others may go on without it. */
  def failed: Boolean = broken || openAgain.isDefined

  /** The offset after the last one of a range that was taken. */
  def positionOf(range: OffsetRange): Long = all.get(ClusterPart.partition(range)).filter(_.unread.nonEmpty) match {
    case Some(reading) => reading.position
    case None => losses.cut(ClusterPart.partition(range)).fold(range.until)(_.until.max(range.from).min(range.until))
  }

  /** The first offset of a range that is gone, if its log was cut off and all before that is read. */
  def cutOf(range: OffsetRange): Option[Long] = {
    val partition = ClusterPart.partition(range)
    losses.cut(partition).map(_.at).filter(_ < range.until && all.get(partition).forall(_.unread.isEmpty))
  }

  /** The task ends without the rest of it. */
  def leave(): Unit = lease.clusterFailed()

  /** No record came for too long, over all attempts. Fails, unless the rest is gone and loss is allowed. */
  def giveUp(): Unit = guarded(giveUp(silent = true))

  /** Whether a poll may bring anything. */
  def fetching: Boolean = !open.isEmpty

  /** The places of what is fetched. */
  def fetched: Vector[FetchWindow.Place] = part.places.filter(place => open.containsKey(place.partition))

  /** From the next poll on fetches these partitions too. The consumer also lets go of the partitions that were read to
    * their end and are not kept, whose room these may take. Does not wait for a broker. A new client may wait for a
    * token endpoint to log in.
    *
    * @param more partitions of its ranges that wait; may be empty
    */
  def fetch(more: Iterable[TopicPartition]): Unit = {
    if (!fetching && more.nonEmpty) asks.begun()
    val begun = more.flatMap(all.get).filterNot(one => one.unread.isEmpty || open.containsKey(one.partition))
    begun.foreach(one => open.put(one.partition, one))
    asks.fetched(begun)
    val starts = begun.map(one => one.partition -> one.start).toMap
    if (!broken) unlessDeferred(())(guarded(lease.borrowed match {
      case Some(consumer)          => consumer.extend(starts)
      case None if starts.nonEmpty => begin()
      case None                    => ()
    }))
  }

  /** Stops fetching: nothing comes, and others wait for the room. What is not read waits again. */
  def requeue(): Unit = {
    open.clear()
    losses.forgetDoubts()
    lease.borrowed.foreach(_.letGo())
  }

  private def guarded[A](call: => A): A = lease.guarded(unread)(call)

  // A name service may come back as a broker does, so a client that finds no address is opened again.
  private def begin(): Unit =
    try {
      borrow().begin(open.asScala.map { case (partition, one) => partition -> one.start }.toMap)(room.carries)
      openAgain = None
    } catch {
      case e: DynamicKafkaException if e.condition == Condition.ClusterUnreachable && !asks.over =>
        asks.failed(e)
        openAgain = Some(watch.elapsed + ClusterReading.Pause)
    }

  private def borrow(): WarmConsumer =
    try lease.fitting(_.mayRead(part.topicIds, part.epochs))
    catch { case e: DynamicKafkaException => throw ReadFailures.notOpened(unread, e) }

  // If the driver decides about such failures, the task continues with the other clusters.
  private def unlessDeferred[A](otherwise: A)(call: => A): A =
    try call
    catch {
      case e: DynamicKafkaException if part.deferrable && ReadFailures.deferrable(e) =>
        asks.failed(e)
        broken = true
        otherwise
    }

  /** What arrives within this time, as soon as anything does; empty if nothing did.
    *
    * @throws DynamicKafkaException see [[ReadFailures]]
    * @throws InterruptedException if the task is stopped meanwhile
    */
  def poll(timeout: Duration): RecordBatch =
    if (!fetching) RecordBatch.empty
    else if (broken) nothing(timeout)
    else {
      val batch =
        try
          unlessDeferred(RecordBatch.empty)(guarded {
            val found = if (opened()) takeOrPassOver(timeout) else nothing(timeout)
            // Only if nothing was found: records would be lost if the question fails.
            if (found.count == 0 && fetching && openAgain.isEmpty && !reopened()) losses.compare()
            found
          })
        catch {
          case e: RetriableException =>
            asks.failed(e)
            RecordBatch.empty
        }
      if (fetching && asks.over && !part.deferrable) guarded(giveUp(asks.over))
      batch
    }

  private def opened(): Boolean = {
    if (openAgain.exists(_ <= watch.elapsed)) begin()
    openAgain.isEmpty
  }

  // Takes as long as a poll, so that the caller does not spin until the driver is asked again.
  private def nothing(timeout: Duration): RecordBatch = {
    Thread.sleep(timeout.toMillis)
    RecordBatch.empty
  }

  private def takeOrPassOver(timeout: Duration): RecordBatch =
    try {
      val found = asks.recognised(lease.consumer.poll(timeout))
      asks.noteLeaders()
      if (lease.consumer.forgets(found.nextOffsets.keySet)) fetchAgain() else take(found)
    } catch {
      case e: OffsetOutOfRangeException if lease.consumer.forgets(e.offsetOutOfRangePartitions.keySet) => fetchAgain()
      case e: OffsetOutOfRangeException                                                                =>
        losses.passOver(e)
        RecordBatch.empty
    }

  private def reopened(): Boolean = {
    val another = lease.exchangedSilent(watch.elapsed) || asks.misled && lease.exchangedMisled()
    if (another) {
      asks.fetched(open.values.asScala)
      begin()
    }
    another
  }

  // A seek also makes Kafka's consumer forget the leaders. So it fetches nothing before it knows the topics again.
  private def fetchAgain(): RecordBatch = {
    open.forEach((partition, one) => lease.consumer.seek(partition, one.start))
    RecordBatch.empty
  }

  // All partitions of a poll become one batch, because each batch costs a round of Spark's own bookkeeping. Columns take
  // values from Kafka's records without copying them (`make bench-quick ARGS=throughput`).
  private def take(fetched: ConsumerRecords[Array[Byte], Array[Byte]]): RecordBatch = {
    val records = new PolledRecords(fetched.count)
    fetched.nextOffsets.forEach { (partition, next) =>
      // None for a partition that was just paused.
      Option(open.get(partition)).foreach { reading =>
        val here = fetched.records(partition)
        asks.recreated(reading) match {
          case Some(loss)                         => losses.loseRest(reading, loss)
          case None if asks.outdated(reading)     => lease.consumer.seek(partition, reading.start)
          case None if reading.doubts(here, next) => losses.doubt(reading, next.leaderEpoch.get)
          case None                               => advance(reading, reading.take(here, next.offset, records))
        }
      }
    }
    if (!records.isEmpty) measure(records)
    records.batch(part.text, part.streams)
  }

  private def measure(records: PolledRecords): Unit = {
    records.oldest.foreach(time => figures.lateness.add(clock.millis - time))
    figures.sizes.filter(_.open).foreach { sizes =>
      sizes.records.add(records.size.toLong)
      sizes.bytes.add(records.bytes)
    }
  }

  private def advance(reading: OpenPartition, to: Progress): Unit = {
    asks.advanced()
    to match {
      case Within                  => ()
      case NextRange(start)        => lease.consumer.seek(reading.partition, start)
      case Finished(until, beyond) =>
        open.remove(reading.partition)
        for (times <- figures.times; time <- reading.lastTime)
          times.add(PartitionId(cluster, reading.partition.topic, reading.partition.partition), until, time)
        lease.consumer.end(reading.partition, until, beyond)(room.ended(part.placeBytes, _, _))
    }
  }

  // A cluster that answers may no longer have what was planned. Committed reads do not show that, because an open
  // transaction holds back their end.
  private def giveUp(silent: => Boolean): Unit = {
    if (!part.committedOnly && lease.borrowed.isDefined) losses.loseMissing()
    if (fetching && silent) {
      lease.clusterFailed()
      throw ReadFailures.silent(unread, settings.readTimeout, asks.cause)
    }
  }

  private def unread: ClusterPart = part.copy(ranges = all.values.flatMap(_.unread).toVector.sortBy(_.id))
}

private object ClusterReading {

  // In nanoseconds.
  private val Pause = 1_000_000_000L
}
