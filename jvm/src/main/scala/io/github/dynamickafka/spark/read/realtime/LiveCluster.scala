package io.github.dynamickafka.spark.read.realtime

import java.time.{Clock, Duration}

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._
import scala.util.control.NonFatal

import org.apache.kafka.clients.consumer.{ConsumerRecords, LogTruncationException, OffsetOutOfRangeException}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.{InterruptException, RetriableException, WakeupException}
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.kafka.failure.{Attempt, Diagnosis}
import io.github.dynamickafka.spark.read.{ClusterPart, FetchShare, Lease, PolledRecords, Start, WarmConsumer}
import io.github.dynamickafka.spark.realtime.ReaderFailure
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** Reads one cluster's part of a real-time task on a thread of its own, and hands over what it polls. So nothing
  * else waits for its brokers.
  *
  * It decides nothing about records that are gone. Whatever is not as it was planned ends the reading of the cluster, and
  * is reported: the driver asks the cluster, and the next batch begins accordingly.
  *
  * @param part its ranges, whose ends are those of drains, or none
  * @param numbers of the ranges in the batch
  * @param share counts what it fetches, however little room there is: what waited would not be read in real time
  * @param failed gets the reason once it reads no more, if that is not the end of its task
  */
final private[realtime] class LiveCluster(
    part: ClusterPart,
    numbers: Map[TopicPartition, Int],
    lease: Lease,
    share: FetchShare,
    hand: HandOver,
    clock: Clock,
    lateness: Long => Unit,
    failed: ReaderFailure => Unit
) extends Runnable {
  import LiveCluster._

  // Of its thread alone: where the next poll continues.
  private var next: Map[TopicPartition, Start] = part.ranges.map(range =>
    ClusterPart.partition(range) -> Start(range.from, range.epochs.from)
  ).toMap
  private val ends = part.ranges.map(range => ClusterPart.partition(range) -> range.until).toMap

  // Guarded by this object's lock. A wakeup that comes too late would hit the next task that borrows the consumer.
  private var ending  = false
  private var polling = Option.empty[WarmConsumer]
  private var woken   = false

  override def run(): Unit =
    try {
      try read()
      catch {
        case _: WakeupException | _: InterruptException | _: InterruptedException if stopped => ()
        // Also what is no exception, such as a native library that can't be loaded: else nobody would hear of it.
        case e: Throwable =>
          val reason = why(e)
          if (!stopped) failed(reason)
      }
      settle()
    } catch {
      case NonFatal(e) =>
        log.debug(s"the consumer of cluster ${part.cluster} is not kept", e)
        lease.failed()
    } finally
      try lease.close()
      finally share.close()

  /** Ends its thread soon. Any thread may call this. */
  def stop(): Unit = synchronized {
    ending = true
    if (!woken) polling.foreach { consumer =>
      woken = true
      consumer.wakeup()
    }
  }

  private def stopped: Boolean = synchronized(ending)

  private def read(): Unit = {
    share.fetchesAnyway(part.placeBytes * next.size)
    var consumer = begun()
    var more     = true
    // Kafka's consumer refuses to poll without partitions. All of them may have been drained.
    while (more && !stopped && next.nonEmpty) {
      val found = poll(consumer)
      lease.mistaken.foreach { case (known, kafka) => throw Ended(changed(known, kafka)) }
      if (consumer.forgets(found.nextOffsets.keySet)) next.foreach { case (at, start) => consumer.seek(at, start) }
      else if (!found.nextOffsets.isEmpty) more = hand.give(taken(consumer, found))
      else if (lease.exchangedSilent(System.nanoTime)) consumer = begun()
    }
  }

  private def begun(): WarmConsumer = {
    val epochs   = next.collect { case (at, Start(_, Some(epoch))) => at -> epoch }
    val consumer = lease.fitting(_.mayRead(part.topicIds, epochs))
    consumer.begin(next)(_ => true)
    consumer
  }

  private def poll(consumer: WarmConsumer): ConsumerRecords[Array[Byte], Array[Byte]] = {
    val begins = synchronized {
      if (!ending) polling = Some(consumer)
      !ending
    }
    if (!begins) ConsumerRecords.empty[Array[Byte], Array[Byte]]()
    else
      try consumer.poll(Rest)
      catch {
        // This error counts only once the consumer knows its topics again.
        case e: OffsetOutOfRangeException if consumer.forgets(e.offsetOutOfRangePartitions.keySet) => nothing(consumer)
        // It is late, and about where this consumer stood in an earlier task.
        case e: LogTruncationException if !isHere(e) => nothing(consumer)
        // The leader does not know the epoch. That proves nothing.
        case e: LogTruncationException if e.divergentOffsets.isEmpty =>
          e.offsetOutOfRangePartitions.keySet.forEach(one => next = next.updatedWith(one)(_.map(_.copy(epoch = None))))
          nothing(consumer)
        case e: RetriableException =>
          log.debug(s"cluster ${part.cluster} is tried again", e)
          nothing(consumer)
      } finally synchronized { polling = None }
  }

  private def isHere(cut: LogTruncationException): Boolean =
    cut.offsetOutOfRangePartitions.asScala.exists { case (one, at) => next.get(one).exists(_.offset == at) }

  private def nothing(consumer: WarmConsumer) = {
    next.foreach { case (at, start) => consumer.seek(at, start) }
    Thread.sleep(Pause)
    ConsumerRecords.empty[Array[Byte], Array[Byte]]()
  }

  private def taken(consumer: WarmConsumer, found: ConsumerRecords[Array[Byte], Array[Byte]]): Polled = {
    val records = new PolledRecords(found.count)
    val parts   = found.nextOffsets.asScala.toVector.flatMap { case (partition, after) =>
      numbers.get(partition).map { number =>
        recreated(consumer, partition).foreach(why => throw Ended(why))
        val from = records.size
        records.add(found.records(partition))
        val epoch = after.leaderEpoch.toScala.map(_.intValue)
        next = next.updated(partition, Start(after.offset, epoch))
        PolledPart(number, from, records.size, after.offset, epoch)
      }
    }
    records.oldest.foreach(time => lateness(clock.millis - time))
    // Beyond its drain nothing more is fetched. What came of it is left out where rows are made.
    val done = next.collect { case (partition, at) if at.offset >= ends(partition) => partition }
    done.foreach { partition =>
      consumer.end(partition, next(partition).offset, java.util.List.of())((_, _) => false)
      next -= partition
    }
    Polled(part.cluster, records.batch(part.text, part.streams), parts)
  }

  private def recreated(consumer: WarmConsumer, partition: TopicPartition): Option[ReaderFailure] = for {
    planned <- part.topicIds.get(partition.topic)
    now     <- consumer.topicId(partition.topic) if now != planned
  } yield ReaderFailure(
    "DYNAMIC_KAFKA_TOPIC_RECREATED",
    s"Topic ${partition.topic} of cluster ${part.cluster} has another id than when the batch began: it was $planned and is $now.",
    asks = true
  )

  private def changed(known: String, kafka: String): ReaderFailure = {
    lease.clusterFailed()
    val failure = ClusterObservation.changed(part.cluster, known, kafka)
    ReaderFailure(failure.condition.name, failure.detail, asks = true)
  }

  private def why(e: Throwable): ReaderFailure = e match {
    case Ended(why)                   => why
    case e: DynamicKafkaException     => ReaderFailure(e.getCondition, e.detail, asks = false)
    case e: OffsetOutOfRangeException =>
      ReaderFailure("DYNAMIC_KAFKA_DATA_LOSS", s"Cluster ${part.cluster}: ${e.getMessage}", asks = true)
    case e =>
      lease.clusterFailed()
      val attempt   = Attempt(part.cluster, "read the records", "READ", part.ranges.map(_.id.topic), " of an executor")
      val diagnosis = Diagnosis.of(attempt, e)
      ReaderFailure(diagnosis.condition.name, diagnosis.happened.text, asks = false)
  }

  // If a wakeup is still to come, this poll takes it, so that no later task does.
  private def settle(): Unit = if (synchronized(woken)) lease.borrowed.foreach { consumer =>
    try consumer.poll(Duration.ZERO): Unit
    catch { case _: WakeupException => () }
  }
}

private[realtime] object LiveCluster {
  private val log = LoggerFactory.getLogger(classOf[LiveCluster])

  // How long a poll waits at the consumer. It returns as soon as anything comes.
  private val Rest  = Duration.ofMillis(500)
  private val Pause = 100L

  final private case class Ended(why: ReaderFailure) extends RuntimeException(why.text, null, false, false)
}
