package io.github.dynamickafka.spark.fakes

import java.time.Duration
import java.util.{Collection => JCollection, HashMap => JHashMap, List => JList, Map => JMap, Optional}
import java.util.concurrent.CompletableFuture

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.kafka.clients.consumer._
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.kafka.common.record.TimestampType

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerFactory, ConsumerKey, EpochPosition, RecordSource}
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{Extent, ReadObstacle}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** The logs of one topic on one cluster, which the driver and the consumers of executors both see. They are written, aged out,
  * and cut off by leaders that are elected uncleanly, at any moment.
  */
final class ElectedLogs(chance: Random, partitions: Int, note: String => Unit) {
  import ElectedLogs._

  private val ages = chance.nextInt(3) == 0
  private val gaps = chance.nextInt(3) == 0
  private var logs = Vector.fill(partitions)(write(RecordedLog.of(0, 0, epoch = 0), chance.nextInt(8)))

  def log(partition: Int): RecordedLog = logs(partition)

  /** All records that are there now. */
  def records: Vector[Row] = for {
    (log, number) <- logs.zipWithIndex
    offset        <- log.offsets
  } yield (number, offset, log.epochAt(offset).get)

  /** Something happens to one of them. */
  def changes(): Unit = {
    val number     = chance.nextInt(partitions)
    val log        = logs(number)
    def some: Long =
      log.extent.earliest + chance.nextInt((log.extent.written - log.extent.earliest).toInt + 1)
    val now = chance.nextInt(12) match {
      case 0 | 1 | 2 | 3 => write(log, 1 + chance.nextInt(5))
      case 4             => elected(log)
      case 5 | 6         => cut(log, some)
      case 7             => write(cut(log, some), 1 + chance.nextInt(8))
      case 8 if ages     => aged(log, some)
      case 9 if gaps     => write(write(log, 1 + chance.nextInt(3), records = false), 1)
      case _             => log
    }
    if (now != log) note(s"log $number: ${text(log)} -> ${text(now)}")
    logs = logs.updated(number, now)
  }

  /** What the driver asks. */
  def clusters: ScriptedClusters = new ScriptedClusters {
    override def observing(cluster: ClusterId, topics: Set[String], waitMode: WaitMode) = {
      val present = Present(Some("T"), logs.indices.map(number => number -> logs(number).extent).toMap, ReadObstacle())
      now(cluster.value, answer("orders" -> present).of("K1"))
      super.observing(cluster, topics, waitMode)
    }

    override def resolving(cluster: ClusterId, questions: Set[Question]) =
      CompletableFuture.completedFuture[Either[Failed, Map[Question, Option[Long]]]](Right(questions.collect {
        case one @ Question(id, LogAgreement(at, epoch, _)) => one -> agreed(logs(id.partition), at, epoch)
      }.toMap))
  }

  /** @param moving whether something may happen while they are polled */
  def consumers(moving: => Boolean): ConsumerFactory = (_: ConsumerKey) => new Consumer(moving)

  /** Fetches ahead, and hears late of other leaders. */
  final private class Consumer(moving: => Boolean) extends RecordSource {
    private val at      = mutable.Map.empty[TopicPartition, Long]
    private val epochs  = mutable.Map.empty[TopicPartition, Int]
    private val leaders = mutable.Map.empty[TopicPartition, Int]
    private val paused  = mutable.Set.empty[TopicPartition]
    private val ahead   = mutable.Map.empty[TopicPartition, (Vector[(Long, Int)], Long)]
    private val check   = mutable.Set.empty[TopicPartition]

    override def assign(of: JCollection[TopicPartition]): Unit = {
      val gone = at.keySet.toSet -- of.asScala
      Seq(at, epochs, ahead).foreach(_ --= gone)
      paused --= gone
    }

    override def seek(partition: TopicPartition, offset: Long, epoch: Option[Int]): Unit = {
      at(partition) = offset
      ahead -= partition
      epochs.updateWith(partition)(_ => epoch): Unit
      if (epoch.isDefined) check += partition else check -= partition
    }

    override def pause(of: JCollection[TopicPartition]): Unit  = paused ++= of.asScala
    override def resume(of: JCollection[TopicPartition]): Unit = paused --= of.asScala

    private def open = at.keys.toVector.sortBy(_.partition).filterNot(paused)

    private def hears(partition: TopicPartition): Unit = {
      val now = epoch(logs(partition.partition))
      if (!leaders.get(partition).contains(now)) {
        leaders(partition) = now
        ahead -= partition
        if (epochs.contains(partition)) check += partition
      }
    }

    override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
      if (moving && chance.nextInt(3) == 0) changes()
      open.foreach(validate)
      val records = new JHashMap[TopicPartition, JList[ConsumerRecord[Array[Byte], Array[Byte]]]]
      val next    = new JHashMap[TopicPartition, OffsetAndMetadata]
      open.foreach { partition =>
        if (!ahead.contains(partition)) fetch(partition, first = next.isEmpty)
        ahead.remove(partition).foreach { case (all, until) =>
          val (some, left) = all.splitAt(1 + chance.nextInt(3))
          val to           = if (left.isEmpty) until else some.last._1 + 1
          if (left.nonEmpty) ahead(partition) = left -> until
          if (to > at(partition)) {
            if (some.nonEmpty) records.put(partition, some.map(record(partition, _)).asJava)
            val epoch = some.lastOption.filter(_._1 == to - 1).map(_._2)
              .orElse(logs(partition.partition).epochAt(to - 1))
            next.put(partition, new OffsetAndMetadata(to, RecordedConsumer.epoch(epoch), ""))
            at(partition) = to
            epochs.updateWith(partition)(_ => epoch): Unit
          }
        }
      }
      new ConsumerRecords(records, next)
    }

    private def validate(partition: TopicPartition): Unit = {
      if (!leaders.contains(partition) || chance.nextBoolean()) hears(partition)
      if (check(partition)) {
        hears(partition)
        val position = at(partition)
        agreed(logs(partition.partition), position, epochs(partition)).filter(_ < position).foreach { cut =>
          throw new LogTruncationException(JMap.of(partition, position), JMap.of(partition, new OffsetAndMetadata(cut)))
        }
        check -= partition
      }
    }

    private def fetch(partition: TopicPartition, first: Boolean): Unit = {
      val (log, position) = (logs(partition.partition), at(partition))
      val within          = position >= log.extent.earliest && position <= log.extent.written
      if (leaders(partition) == epoch(log))
        if (within) {
          val (taken, left) = log.offsets.dropWhile(_ < position).splitAt(1 + chance.nextInt(6))
          ahead(partition) = taken.map(offset => offset -> log.epochAt(offset).get) ->
            (if (left.isEmpty) log.extent.written else taken.last + 1)
        } else if (first) throw new OffsetOutOfRangeException(JMap.of(partition, position))
    }

    // The timestamp says which record it is.
    private def record(partition: TopicPartition, row: (Long, Int)) = new ConsumerRecord(
      partition.topic,
      partition.partition,
      row._1,
      row._2 * Epoch + row._1,
      TimestampType.CREATE_TIME,
      -1,
      1,
      null: Array[Byte],
      Array[Byte](1),
      new RecordHeaders,
      Optional.of[Integer](row._2)
    )

    override def caughtUp(partition: TopicPartition): Boolean =
      !ahead.contains(partition) && at.get(partition).contains(logs(partition.partition).extent.written)

    override def extents(of: JCollection[TopicPartition], timeout: Duration): Map[TopicPartition, Extent] =
      of.asScala.map(partition => partition -> logs(partition.partition).extent).toMap

    override def agreement(
        positions: Map[TopicPartition, EpochPosition],
        timeout: Duration
    ): Map[TopicPartition, Option[Long]] = {
      paused ++= positions.keys
      positions.map { case (partition, position) =>
        leaders(partition) = epoch(logs(partition.partition))
        // It stands anywhere afterwards.
        at(partition) = Long.MaxValue
        partition -> agreed(logs(partition.partition), position.offset, position.epoch)
      }
    }

    override def kafkaId: Option[String]                             = Some("K1")
    override def topicId(topic: String): Option[String]              = Some("T")
    override def leaderEpoch(partition: TopicPartition): Option[Int] = leaders.get(partition)
    override def knows(topic: String): Boolean                       = true
    override def deleted(topic: String, timeout: Duration): Boolean  = false
    override def wakeup(): Unit                                      = ()
    override def close(): Unit                                       = ()
  }
}

object ElectedLogs {

  /** A record: partition, offset and leader epoch. */
  type Row = (Int, Long, Int)

  private val Epoch = 1000000L

  /** The record that has this timestamp, in milliseconds. */
  def row(partition: Int, time: Long): Row = (partition, time % Epoch, (time / Epoch).toInt)

  private def epoch(log: RecordedLog): Int = log.epochs.lastKey

  private def ending(log: RecordedLog, end: Long, earliest: Long): RecordedLog =
    log.copy(extent = Extent(earliest, end, end, Some(epoch(log))))

  private def write(log: RecordedLog, count: Int, records: Boolean = true): RecordedLog = {
    val (from, until) = (log.extent.written, log.extent.written + count)
    val more          = if (records) log.offsets ++ (from until until) else log.offsets
    ending(log.copy(offsets = more), until, log.extent.earliest)
  }

  private def elected(log: RecordedLog): RecordedLog = {
    val by = log.copy(epochs = log.epochs.updated(epoch(log) + 1, log.extent.written))
    ending(by, log.extent.written, log.extent.earliest)
  }

  private def cut(log: RecordedLog, at: Long): RecordedLog = log.cut(at, epoch(log) + 1, at)

  private def aged(log: RecordedLog, to: Long): RecordedLog =
    ending(log.copy(offsets = log.offsets.filter(_ >= to)), log.extent.written, to)

  private def agreed(log: RecordedLog, at: Long, in: Int): Option[Long] =
    Option.when(in <= epoch(log))(log.endOf(in).min(at))

  private def text(log: RecordedLog) = s"${log.extent.earliest}..${log.extent.written} ${log.epochs.mkString(" ")}"
}
