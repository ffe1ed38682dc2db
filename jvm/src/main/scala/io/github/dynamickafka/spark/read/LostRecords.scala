package io.github.dynamickafka.spark.read

import java.util.{Map => JMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{LogTruncationException, OffsetOutOfRangeException}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.RetriableException
import org.apache.spark.util.LongAccumulator
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.errors.{Condition, Failure, Wording}
import io.github.dynamickafka.spark.read.OpenPartition.Progress
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** Finds out which records of one cluster are gone since they were planned: they aged out, their log was cut off, or their
  * topic was created again. The task fails, or passes over them if loss is allowed.
  *
  * @param open what is fetched now; `advance` changes it
  * @param lost counts what is passed over
  * @param advance continues a partition where it stands then
  */
final private[read] class LostRecords(
    open: JMap[TopicPartition, OpenPartition],
    lease: Lease,
    asks: LogQuestions,
    failOnDataLoss: Boolean,
    lost: LongAccumulator,
    advance: (OpenPartition, Progress) => Unit
) {
  private val log = LoggerFactory.getLogger(classOf[LostRecords])

  private val cuts = mutable.Map.empty[TopicPartition, LostRecords.Cut]

  /** Where its log was cut off, if it was. */
  def cut(partition: TopicPartition): Option[LostRecords.Cut] = cuts.get(partition)

  // Those whose log may have been cut, each with the epoch of a record that shows it.
  private var doubted = Vector.empty[(OpenPartition, Int)]

  /** Reads no more of it before its brokers have said whether its log was cut. */
  def doubt(reading: OpenPartition, epoch: Int): Unit = {
    doubted :+= reading -> epoch
    lease.consumer.hold(reading.partition, reading.position)
  }

  def forgetDoubts(): Unit = doubted = Vector.empty

  /** Kafka reports that the log does not hold the next offset, or holds another record there. Offsets before its oldest
    * record aged out. Offsets after its end were cut off, and what is written there later is other data.
    */
  def passOver(e: OffsetOutOfRangeException): Unit = {
    val here = e.offsetOutOfRangePartitions.keySet.asScala.toVector.flatMap(partition => Option(open.get(partition)))
    e match {
      case cut: LogTruncationException =>
        here.foreach { reading =>
          // It may be about where the consumer stood before, beyond this range.
          val end = Option(cut.divergentOffsets.get(reading.partition)).filter(_.offset < reading.range.until)
          end.fold(retry(reading, cut))(end => loseFrom(end.offset, reading, Some(cut)))
        }
      case _ if !asks.mayAsk && !asks.over => asks.failedStill(e)
      case _                               =>
        val held = asks.extents(e.offsetOutOfRangePartitions.keySet)
        here.foreach(reading => held.get(reading.partition).foreach(passOver(reading, _, e)))
    }
  }

  private def passOver(reading: OpenPartition, held: Extent, cause: OffsetOutOfRangeException): Unit = {
    val (at, range) = (reading.position, reading.range)
    val what        = ReadFailures.outside(range, at, held)
    val recreated   = asks.recreated(reading).isDefined
    if (recreated || at > held.latest && asks.over) loseBeyond(held, reading, Some(cause))
    // The answer came from a replica that was behind, or from a leader that was replaced and does not know it yet.
    else if (held.earliest <= at) {
      asks.pause()
      retry(reading, cause)
    } else if (failOnDataLoss) throw ReadFailures.lost(Failure(Condition.DataLoss, what), Some(cause))
    else {
      val resume = held.earliest.min(range.until)
      log.warn(s"${Condition.DataLoss} $what. Reading resumes at offset $resume.")
      lost.add(resume - at)
      lease.consumer.seek(reading.partition, Start(resume))
      advance(reading, reading.passTo(resume))
    }
  }

  // The error alone proves nothing. The next poll asks again.
  private def retry(reading: OpenPartition, cause: Exception): Unit = {
    asks.failed(cause)
    lease.consumer.seek(reading.partition, Start(reading.position))
  }

  private def loseFrom(cut: Long, reading: OpenPartition, cause: Option[Exception]): Unit =
    lose(reading, cut, ReadFailures.cutOff(reading.range, reading.position, cut), cause)

  private def loseBeyond(held: Extent, reading: OpenPartition, cause: Option[Exception]): Unit =
    lose(reading, held.latest, ReadFailures.outside(reading.range, reading.position, held), cause)

  // The log has other records from there on than were planned, or none. Nothing beyond is read of the partition.
  private def lose(reading: OpenPartition, cut: Long, what: Wording, cause: Option[Exception]): Unit =
    asks.recreated(reading) match {
      case Some(loss) => loseRest(reading, loss, cause)
      case None       =>
        val until = cut.max(reading.position)
        if (!failOnDataLoss) cuts(reading.partition) = LostRecords.Cut(cut, until)
        end(reading, until, Failure(Condition.DataLoss, what), cause)
    }

  /** Nothing more is read of this partition once it is certain that its topic is another one. */
  def loseRest(reading: OpenPartition, loss: Failure, cause: Option[Exception] = None): Unit =
    if (asks.staysRecreated(reading)) end(reading, reading.position, loss, cause)
    else lease.consumer.seek(reading.partition, Start(reading.position))

  private def end(reading: OpenPartition, at: Long, loss: Failure, cause: Option[Exception]): Unit = {
    val removed = reading.range.removed && loss.condition != Condition.DataLoss
    if (failOnDataLoss && !removed) throw ReadFailures.lost(loss, cause)
    val records = reading.ahead - (at - reading.position)
    if (removed) log.info(s"$loss. The metadata do not list it: its drain ends at offset $at.")
    else {
      log.warn(s"$loss. In this batch the partition is read up to offset $at, and $records records are lost.")
      lost.add(records)
    }
    lease.consumer.seek(reading.partition, Start(reading.position))
    advance(reading, reading.endAt(at))
  }

  /** Asks whether logs were cut beyond what was read of them, if it is time. Kafka reports no error then. */
  def compare(): Unit =
    if (doubted.nonEmpty) {
      if (asks.mayAsk) {
        // One whose log was cut off is read no more.
        val asked = doubted.filter(_._1.unread.nonEmpty)
        forgetDoubts()
        // Without an answer their records come again, and raise the same doubt.
        val said = loseProvenCuts(asked.map(_._1))
        // It is still read, if the consumer has the id of another topic at the moment.
        def cut(reading: OpenPartition) =
          reading.unread.nonEmpty && said(reading.partition).exists(_ < reading.range.until)
        for ((reading, epoch) <- asked if said.contains(reading.partition) && !cut(reading)) reading.trust(epoch)
      }
    } else if (asks.suspicious) {
      endDeleted()
      if (!open.isEmpty) loseWhereShort(): Unit
    }

  // What is deleted after it was removed from the metadata is no loss.
  private def endDeleted(): Unit = {
    val removed = open.values.asScala.toVector.filter(_.range.removed).groupBy(_.range.id.topic)
    // All are asked about before the first one ends: then the cluster does not stand still any more.
    val gone = removed.keys.toVector.filter(topic => asks.deleted(topic, removed(topic).map(_.partition).asJava))
    for (topic <- gone; reading <- removed(topic)) {
      // A mirror may have the rest.
      cuts(reading.partition) = LostRecords.Cut(reading.position, reading.position)
      end(reading, reading.position, ReadFailures.deleted(reading.range, reading.position), asks.cause)
    }
  }

  /** Gives up records that a cluster which answers no longer has: each restart would wait for them in vain. */
  def loseMissing(): Unit =
    if (asks.unanswered == 0)
      try
        loseWhereShort().foreach { case (reading, held) =>
          asks.recreated(reading)
            .fold(loseBeyond(held, reading, asks.cause))(end(reading, reading.position, _, asks.cause))
        }
      catch { case _: RetriableException => () }

  // Returns the ranges that end beyond their logs, where nothing proves that these were cut.
  private def loseWhereShort(): Vector[(OpenPartition, Extent)] = {
    val held  = asks.extents(open.keySet)
    val short = open.values.asScala.toVector.flatMap { reading =>
      held.get(reading.partition).filter(_.latest < reading.range.until).map(reading -> _)
    }
    val (provable, others) = short.partition(_._1.range.epochs.until.isDefined)
    val said               = loseProvenCuts(provable.map(_._1))
    others ++ provable.filter { case (reading, _) => said.get(reading.partition).contains(None) }
  }

  // Returns what the leaders say. Kafka may also report partitions that were not asked about.
  private def loseProvenCuts(of: Vector[OpenPartition]): Map[TopicPartition, Option[Long]] = {
    val said = asks.agreement(of)
    for {
      (partition, Some(cut)) <- said
      reading                <- Option(open.get(partition)) if cut < reading.range.until
    } loseFrom(cut, reading, None)
    said
  }
}

private[read] object LostRecords {

  /** @param at the first offset that is gone
    * @param until the end of what the task reads of its range, exclusive. It may have read more before it knew of the cut
    */
  final case class Cut(at: Long, until: Long)
}
