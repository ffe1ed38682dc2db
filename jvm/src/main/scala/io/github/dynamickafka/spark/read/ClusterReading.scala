package io.github.dynamickafka.spark.read

import java.time.{Clock, Duration}
import java.util.{HashMap => JHashMap, Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{ConsumerRecords, LogTruncationException, OffsetOutOfRangeException}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.RetriableException
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.columns.RecordBatch
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metrics.ReadFigures
import io.github.dynamickafka.spark.plan.OffsetRange
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
  * @param deferring whether what can't be read is left to the driver's decision
  */
final private[read] class ClusterReading(
    part: ClusterPart,
    lease: Lease,
    room: FetchRoom,
    settings: ReadSettings,
    figures: ReadFigures,
    watch: Stopwatch,
    clock: Clock,
    deferring: Boolean = false
) {
  private val log = LoggerFactory.getLogger(classOf[ClusterReading])

  def cluster: ClusterId = part.cluster

  private val asks     = new LogQuestions(lease, watch, settings.readTimeout, () => unread)
  private val guarded  = new GuardedCalls(lease, () => unread)
  private val measures = new ReadMeasures(cluster, figures, clock)

  // Variables of the inner loop: the partitions that wait until they are fetched, those that are fetched and not read to
  // their end, and those of them whose log may have been cut.
  private val waiting = new JHashMap[TopicPartition, OpenPartition]
  private val open    = new JHashMap[TopicPartition, OpenPartition]
  private var doubted = Vector.empty[OpenPartition]
  OpenPartition.of(part.ranges).foreach(one => waiting.put(one.partition, one))

  /** For how long nothing has come, in nanoseconds of the watch. */
  def standsFor(now: Long): Long = asks.now.lasts(now)

  private var broken = false

  /** Whether waiting brings nothing: what the cluster said is final. */
  def failedForGood: Boolean = broken

  /** The offset after the last one of a range that was taken. */
  def taken(range: OffsetRange): Long = {
    val partition = new TopicPartition(range.id.topic, range.id.partition)
    Option(open.get(partition)).orElse(Option(waiting.get(partition))).fold(range.until)(_.position)
  }

  /** What was not read stays unread. */
  def leave(): Unit = lease.clusterFailed()

  /** The time is over that it may stand still, together with other attempts. Fails, unless what it lacks may be lost. */
  def gaveUp(): Unit = guarded(giveUp(silent = true))

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
    if (!fetching && more.nonEmpty) asks.became(_ begun _)
    val opened = more.flatMap(partition => Option(waiting.remove(partition)))
    opened.foreach(one => open.put(one.partition, one))
    val starts = opened.iterator.map(one => one.partition -> one.start).toMap
    if (!broken) unlessDeferred(())(guarded(lease.borrowed match {
      case Some(consumer)          => consumer.extend(starts)
      case None if starts.nonEmpty => borrow().begin(starts)(room.begin)
      case None                    => ()
    }))
  }

  /** Nothing is fetched any more, and all that is not read waits again: nothing comes of it, and others wait for its room. */
  def makeRoom(): Vector[FetchWindow.Place] = {
    val all = part.places.filter(place => open.containsKey(place.partition))
    waiting.putAll(open)
    open.clear()
    doubted = Vector.empty
    lease.borrowed.foreach(_.begin(Map.empty)(_ => true))
    all
  }

  private def borrow(): WarmConsumer =
    try lease.fitting(_.mayRead(part.topicIds, part.epochs))
    catch { case e: DynamicKafkaException => throw ReadFailures.notOpened(unread, e) }

  // Where the driver decides, the task goes on with the others.
  private def unlessDeferred[A](otherwise: A)(call: => A): A =
    try call
    catch {
      case e: DynamicKafkaException if deferring && ReadFailures.deferrable(e) =>
        asks.became((stall, _) => stall.failed(e))
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
    else if (broken) {
      // As long as a poll would take. Nothing can come, and the driver is asked at its time.
      Thread.sleep(timeout.toMillis)
      RecordBatch.empty
    } else {
      val batch =
        try
          unlessDeferred(RecordBatch.empty)(guarded {
            val found = takenOrPassedOver(timeout)
            // So nothing is lost if a question has no answer.
            if (found.count == 0 && fetching) compare()
            found
          })
        catch {
          case e: RetriableException =>
            asks.became((stall, _) => stall.failed(e))
            RecordBatch.empty
        }
      if (fetching && asks.over && !deferring) guarded(giveUp(asks.over))
      batch
    }

  private def takenOrPassedOver(timeout: Duration): RecordBatch =
    try {
      val found = asks.recognised(lease.consumer.poll(timeout))
      if (lease.unidentified) notCounted(found.nextOffsets.keySet)
      else taken(found)
    } catch {
      case e: OffsetOutOfRangeException if lease.unidentified => notCounted(e.offsetOutOfRangePartitions.keySet)
      case e: OffsetOutOfRangeException                       =>
        passOver(e)
        RecordBatch.empty
    }

  // It may be of another cluster, and is fetched again.
  private def notCounted(of: JSet[TopicPartition]): RecordBatch = {
    of.forEach(partition =>
      Option(open.get(partition)).foreach(one => lease.consumer.seek(partition, Start(one.position)))
    )
    RecordBatch.empty
  }

  // All partitions of a poll become one batch, because each batch costs a round of Spark's own bookkeeping. Columns take
  // values from Kafka's records without copying them (`make bench-quick ARGS=throughput`).
  private def taken(fetched: ConsumerRecords[Array[Byte], Array[Byte]]): RecordBatch = {
    val records = new PolledRecords(fetched.count)
    fetched.nextOffsets.forEach { (partition, next) =>
      val reading = open.get(partition)
      // Null for a partition that was just paused.
      if (reading != null) {
        val here = fetched.records(partition)
        asks.recreated(reading) match {
          case Some(loss)                         => end(reading, reading.position, loss, None)
          case None if reading.doubts(here, next) =>
            doubted :+= reading
            lease.consumer.hold(partition, reading.position)
          case None => moved(reading, reading.take(here, next.offset, records))
        }
      }
    }
    if (!records.isEmpty) measures.took(records)
    records.batch(part.text, part.streams)
  }

  private def moved(reading: OpenPartition, to: Progress): Unit = {
    asks.became(_ broken _)
    to match {
      case Within                  => ()
      case NextRange(start)        => lease.consumer.seek(reading.partition, start)
      case Finished(until, beyond) =>
        open.remove(reading.partition)
        measures.ended(reading, until)
        lease.consumer.end(reading.partition, until, beyond)(room.end(part.placeBytes, _, _))
    }
  }

  // Kafka reports that the log does not hold the next offset, or holds another record there. Offsets before its oldest
  // record aged out. Offsets after its end were cut off, and what is written there later is other data.
  private def passOver(e: OffsetOutOfRangeException): Unit = {
    val here = e.offsetOutOfRangePartitions.keySet.asScala.flatMap(partition => Option(open.get(partition))).toVector
    e match {
      case cut: LogTruncationException => here.foreach(passOverCut(_, cut))
      case _ if !asks.mayAsk           => asks.became((stall, _) => stall.failedStill(e))
      case _                           =>
        val held = asks.extents(e.offsetOutOfRangePartitions.keySet)
        here.foreach(reading => held.get(reading.partition).foreach(passOver(reading, _, e)))
    }
  }

  private def passOverCut(reading: OpenPartition, e: LogTruncationException): Unit =
    Option(e.divergentOffsets.get(reading.partition)).map(_.offset) match {
      case Some(cut) => lose(reading, cut, ReadFailures.cutOff(reading.range, reading.position, cut), Some(e))
      case None      => retry(reading, e)
    }

  private def passOver(reading: OpenPartition, held: Extent, cause: OffsetOutOfRangeException): Unit = {
    val (at, range) = (reading.position, reading.range)
    val what        = ReadFailures.outside(range, at, held)
    if (at > held.latest || asks.recreated(reading).isDefined) lose(reading, held.latest, what, Some(cause))
    // The answer came from a replica that was behind.
    else if (held.earliest <= at) retry(reading, cause)
    else if (settings.failOnDataLoss) throw ReadFailures.lost(Failure(Condition.DataLoss, what), Some(cause))
    else {
      val resume = held.earliest.min(range.until)
      log.warn(s"${Condition.DataLoss} $what. Reading resumes at offset $resume.")
      measures.lost(resume - at)
      lease.consumer.seek(reading.partition, Start(resume))
      moved(reading, reading.passTo(resume))
    }
  }

  // What Kafka reports proves nothing. The next poll asks again.
  private def retry(reading: OpenPartition, cause: Exception): Unit = {
    asks.became((stall, _) => stall.failed(cause))
    lease.consumer.seek(reading.partition, Start(reading.position))
  }

  // The log has other records from there on than were planned, or none. Nothing beyond is read of the partition.
  private def lose(reading: OpenPartition, cut: Long, what: Wording, cause: Option[Exception]): Unit =
    asks.recreated(reading).fold(
      end(reading, cut.max(reading.position), Failure(Condition.DataLoss, what), cause)
    )(end(reading, reading.position, _, cause))

  private def end(reading: OpenPartition, at: Long, loss: Failure, cause: Option[Exception]): Unit =
    if (settings.failOnDataLoss) throw ReadFailures.lost(loss, cause)
    else {
      val lost = reading.ahead - (at - reading.position)
      log.warn(s"$loss. In this batch it is read up to offset $at, and $lost records are lost.")
      measures.lost(lost)
      lease.consumer.seek(reading.partition, Start(reading.position))
      moved(reading, reading.endAt(at))
    }

  // A log may have been cut beyond what was read of it. No error says so.
  private def compare(): Unit =
    if (doubted.nonEmpty) {
      if (asks.mayAsk) {
        val asked = doubted
        doubted = Vector.empty
        // Without an answer their records come again, and raise the same doubt.
        val said = proved(asked)
        asked.filter(reading => said.contains(reading.partition)).foreach(_.trusted())
      }
    } else if (asks.suspicious) tooShort(): Unit

  // The ranges that end beyond their logs, where nothing proves that these were cut.
  private def tooShort(): Vector[(OpenPartition, Extent)] = {
    val held  = asks.extents(open.keySet)
    val short = open.values.asScala.toVector.flatMap { reading =>
      held.get(reading.partition).filter(_.latest < reading.range.until).map(reading -> _)
    }
    val (provable, others) = short.partition(_._1.range.epochs.until.isDefined)
    val said               = proved(provable.map(_._1))
    others ++ provable.filter { case (reading, _) => said.get(reading.partition).contains(None) }
  }

  // A range is lost whose log was provably cut before its end. Kafka may say it of others than those that are asked about.
  private def proved(of: Vector[OpenPartition]): Map[TopicPartition, Option[Long]] = {
    val said = asks.agreement(of)
    for {
      (partition, Some(cut)) <- said
      reading                <- Option(open.get(partition)) if cut < reading.range.until
    } lose(reading, cut, ReadFailures.cutOff(reading.range, reading.position, cut), None)
    said
  }

  // A cluster that answers may lack what was planned, and would be waited for in vain at each restart. Open transactions
  // hold back the end of what is committed.
  private def giveUp(silent: => Boolean): Unit = {
    if (!part.committedOnly && asks.now.unanswered == 0)
      try
        tooShort().foreach { case (reading, held) =>
          lose(reading, held.latest, ReadFailures.outside(reading.range, reading.position, held), asks.now.cause)
        }
      catch { case _: RetriableException => () }
    if (fetching && silent) {
      lease.clusterFailed()
      throw ReadFailures.silent(unread, settings.readTimeout, asks.now.cause)
    }
  }

  private def unread: ClusterPart =
    part.copy(ranges = (open.values.asScala ++ waiting.values.asScala).flatMap(_.unread).toVector.sortBy(_.id))
}
