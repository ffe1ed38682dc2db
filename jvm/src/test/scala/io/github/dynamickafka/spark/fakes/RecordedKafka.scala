package io.github.dynamickafka.spark.fakes

import java.time.Duration
import java.util.{Collection => JCollection, List => JList, Map => JMap, Optional}

import scala.collection.immutable.SortedMap
import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer._
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.kafka.common.record.TimestampType

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerFactory, ConsumerKey, EpochPosition, RecordSource}
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** The content of a partition: the offsets of its records, which may have gaps, between two offsets.
  *
  * @param epochs each leader epoch with the first offset that was written in it; empty: the brokers know none
  */
final case class RecordedLog(extent: Extent, offsets: Vector[Long], epochs: SortedMap[Int, Long] = SortedMap.empty) {

  /** Up to where the log holds what it held in this epoch, as brokers answer that question. */
  def endOf(epoch: Int): Long =
    epochs.iteratorFrom(epoch + 1).nextOption().fold(extent.written)(_._2)

  /** The epoch in which a record was written. */
  def epochAt(offset: Long): Option[Int] = epochs.filter(_._2 <= offset).lastOption.map(_._1)

  /** The same log once it was cut there and written further in a later epoch, up to another end. */
  def cut(at: Long, epoch: Int, until: Long): RecordedLog = RecordedLog(
    Extent(extent.earliest, until, until, Some(epoch)),
    offsets.filter(_ < at) ++ (at until until),
    epochs.filter(_._2 < at).updated(epoch, at)
  )
}

object RecordedLog {

  /** A log without gaps. */
  def of(from: Long, until: Long): RecordedLog = RecordedLog(Extent(from, until), (from until until).toVector)

  /** The same, where all was written in one leader epoch. */
  def of(from: Long, until: Long, epoch: Int): RecordedLog =
    RecordedLog(Extent(from, until, until, Some(epoch)), (from until until).toVector, SortedMap(epoch -> from))
}

/** Clusters with the content and the behaviour that a test sets. Every call is recorded, with its cluster first. */
final class RecordedKafka(pollRecords: Int = 2) extends ConsumerFactory {
  val logs: mutable.Map[(ClusterId, TopicPartition), RecordedLog] = mutable.Map.empty

  /** Clusters that never answer. */
  val silent: mutable.Set[ClusterId] = mutable.Set.empty

  /** Kafka's ids of the clusters that answer, as far as they answer. */
  val kafkaIds: mutable.Map[ClusterId, String] =
    mutable.Map.from(Vector("eu", "us").map(id => ClusterId(id) -> s"kafka-$id"))

  /** Kafka's ids of topics, as far as they are known. */
  val topicIds: mutable.Map[String, String] = mutable.Map.empty

  /** Topics that consumers do not know any more. */
  val forgotten: mutable.Set[String] = mutable.Set.empty

  /** The leader epochs in the metadata of all consumers, as far as they know them. */
  val leaderEpochs: mutable.Map[TopicPartition, Int] = mutable.Map.empty

  /** The failure of opening a consumer of a cluster. */
  val unopened: mutable.Map[ClusterId, DynamicKafkaException] = mutable.Map.empty

  /** What the next polls of a cluster do before they answer. None: they just answer. */
  val script: mutable.Map[ClusterId, mutable.Queue[() => Unit]] = mutable.Map.empty

  /** What a request for first and last offsets does before its answer, with the time that it may take. */
  var extentsAsked: Duration => Unit = _ => ()

  /** What a request for where logs were cut does before its answer. */
  var agreementAsked: () => Unit = () => ()

  /** What brokers say of where a log was cut, in place of what its epochs say. */
  val agreements: mutable.Map[TopicPartition, Option[Long]] = mutable.Map.empty

  val calls: mutable.ListBuffer[String] = mutable.ListBuffer.empty
  var opened: Vector[RecordedConsumer]  = Vector.empty

  /** The bootstrap addresses of each consumer that was opened. */
  val addresses: mutable.ListBuffer[String] = mutable.ListBuffer.empty

  /** The most partitions that were fetched at a time, over all consumers. */
  var mostFetched = 0

  def holds(cluster: String, topic: String, partition: Int)(log: RecordedLog): this.type = {
    logs(ClusterId(cluster) -> new TopicPartition(topic, partition)) = log
    this
  }

  def next(cluster: String)(steps: (() => Unit)*): this.type = {
    script.getOrElseUpdate(ClusterId(cluster), mutable.Queue.empty) ++= steps
    this
  }

  /** No broker of this cluster answers before so many consumers were opened. */
  def silentUntil(cluster: String)(count: Int, otherwise: => Unit = ()): this.type = {
    val id = ClusterId(cluster)
    kafkaIds -= id
    silent += id
    val answers = () => if (opened.size == count) this.answers(cluster) else otherwise
    next(cluster)(Vector.fill(3000)(answers): _*)
  }

  /** From now on its brokers answer. */
  def answers(cluster: String): Unit = {
    silent.clear()
    kafkaIds(ClusterId(cluster)) = s"kafka-$cluster"
  }

  // Clusters may be looked at in parallel.
  override def open(key: ConsumerKey): RecordSource = synchronized {
    calls += s"${key.cluster} open"
    unopened.get(key.cluster).foreach(throw _)
    val consumer = new RecordedConsumer(key.cluster, this, pollRecords)
    opened :+= consumer
    addresses += key.connection.bootstrapServers
    consumer
  }
}

final class RecordedConsumer(cluster: ClusterId, kafka: RecordedKafka, pollRecords: Int) extends RecordSource {
  private val positions = mutable.SortedMap.empty[TopicPartition, Long](Ordering.by(p => (p.topic, p.partition)))
  private val epochs    = mutable.Map.empty[TopicPartition, Int]
  private val paused    = mutable.Set.empty[TopicPartition]
  private var assigned  = Set.empty[TopicPartition]
  var closed            = false

  /** How many partitions it would fetch. */
  def fetching: Int = (assigned -- paused).size

  private def note(call: String): Unit = kafka.synchronized(kafka.calls += s"$cluster $call"): Unit

  override def assign(partitions: JCollection[TopicPartition]): Unit = {
    assigned = partitions.asScala.toSet
    note(s"assign ${assigned.map(_.toString).toVector.sorted.mkString(" ")}")
    positions.filterInPlace((partition, _) => assigned(partition))
    paused.filterInPlace(assigned)
  }

  override def seek(partition: TopicPartition, offset: Long, epoch: Option[Int]): Unit = {
    note(s"seek $partition $offset${epoch.fold("")(number => s" epoch $number")}")
    positions(partition) = offset
    epochs.updateWith(partition)(_ => epoch): Unit
  }

  override def pause(partitions: JCollection[TopicPartition]): Unit = {
    note(s"pause ${partitions.asScala.mkString(" ")}")
    paused ++= partitions.asScala
  }

  override def resume(partitions: JCollection[TopicPartition]): Unit = paused --= partitions.asScala

  override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
    note(s"poll ${timeout.toMillis}")
    kafka.mostFetched = kafka.mostFetched.max(kafka.opened.map(_.fetching).sum)
    kafka.script.get(cluster).filter(_.nonEmpty).foreach(_.dequeue()())
    val fetched = if (kafka.silent(cluster)) Map.empty[TopicPartition, (Vector[Long], Long)] else fetch()
    positions ++= fetched.map { case (partition, (_, next)) => partition -> next }
    fetched.foreach { case (partition, (offsets, _)) =>
      offsets.lastOption.flatMap(epochAt(partition, _)).foreach(epoch => epochs(partition) = epoch)
    }
    val records = fetched.collect {
      case (partition, (offsets, _)) if offsets.nonEmpty =>
        partition -> (offsets.map(at =>
          RecordedConsumer.record(partition, at, epochAt(partition, at))
        ).asJava: JList[ConsumerRecord[Array[Byte], Array[Byte]]])
    }
    val next: JMap[TopicPartition, OffsetAndMetadata] =
      fetched.map { case (partition, (_, next)) =>
        partition -> new OffsetAndMetadata(next, RecordedConsumer.epoch(epochAt(partition, next - 1)), "")
      }.asJava
    new ConsumerRecords(records.asJava, next)
  }

  private def epochAt(partition: TopicPartition, offset: Long): Option[Int] =
    kafka.logs.get(cluster -> partition).flatMap(_.epochAt(offset))

  private def fetch(): Map[TopicPartition, (Vector[Long], Long)] =
    positions.toMap.filterNot { case (partition, _) => paused(partition) }.flatMap { case (partition, at) =>
      kafka.logs.get(cluster -> partition).flatMap { log =>
        if (at < log.extent.earliest || at > log.extent.latest)
          throw new OffsetOutOfRangeException(JMap.of(partition, at))
        epochs.get(partition).flatMap(agreed(partition, log, _)).filter(_ < at).foreach(cut =>
          throw new LogTruncationException(JMap.of(partition, at), JMap.of(partition, new OffsetAndMetadata(cut)))
        )
        val (taken, left) = log.offsets.dropWhile(_ < at).splitAt(pollRecords)
        // A real consumer also moves over the gap behind the last record.
        val next = if (left.isEmpty) log.extent.latest else taken.last + 1
        Option.when(next > at)(partition -> (taken -> next))
      }
    }

  override def caughtUp(partition: TopicPartition): Boolean = kafka.logs.get(cluster -> partition)
    .exists(log => positions.get(partition).contains(log.extent.latest))

  override def extents(
      partitions: JCollection[TopicPartition],
      timeout: Duration
  ): Map[TopicPartition, Extent] = {
    note(s"extents ${partitions.asScala.map(_.toString).toVector.sorted.mkString(" ")}")
    kafka.extentsAsked(timeout)
    answer(partitions.asScala)
    partitions.asScala.map(partition => partition -> kafka.logs(cluster -> partition).extent).toMap
  }

  override def agreement(
      positions: Map[TopicPartition, EpochPosition],
      timeout: Duration
  ): Map[TopicPartition, Option[Long]] = {
    note(s"agreement ${positions.keys.map(_.toString).toVector.sorted.mkString(" ")}")
    paused ++= positions.keys
    kafka.agreementAsked()
    // A real consumer waits for a leader of the epoch that it was given.
    val answered = positions.filter { case (partition, at) =>
      !kafka.silent(cluster) && kafka.leaderEpochs.get(partition).forall(_ >= at.epoch)
    }
    if (answered.nonEmpty) answer(answered.keys)
    // They stand anywhere afterwards.
    positions.keys.foreach(partition => this.positions(partition) = Long.MaxValue)
    answered.map { case (partition, at) =>
      partition -> agreed(partition, kafka.logs(cluster -> partition), at.epoch).map(_.min(at.offset))
    }
  }

  override def wakeup(): Unit = note("wakeup")

  private def agreed(partition: TopicPartition, log: RecordedLog, epoch: Int): Option[Long] =
    kafka.agreements.getOrElse(partition, Option.when(log.epochs.nonEmpty)(log.endOf(epoch)))

  // A real consumer tries it again, in vain.
  private def answer(of: Iterable[TopicPartition]): Unit =
    if (kafka.silent(cluster) || of.exists(partition => !kafka.logs.contains(cluster -> partition)))
      throw new TimeoutException(s"$cluster does not say")

  override def kafkaId: Option[String] = kafka.kafkaIds.get(cluster)

  override def topicId(topic: String): Option[String] = kafka.topicIds.get(topic)

  override def leaderEpoch(partition: TopicPartition): Option[Int] = kafka.leaderEpochs.get(partition)

  override def knows(topic: String): Boolean = !kafka.forgotten(topic)

  override def deleted(topic: String, timeout: Duration): Boolean = {
    note(s"deleted $topic")
    if (kafka.silent(cluster)) throw new TimeoutException(s"$cluster does not say")
    kafka.forgotten(topic) && !kafka.logs.keysIterator.exists { case (id, one) => id == cluster && one.topic == topic }
  }

  override def close(): Unit = {
    note("close")
    closed = true
  }
}

object RecordedConsumer {

  /** As Kafka's client has it. */
  def epoch(number: Option[Int]): Optional[Integer] = number.fold(Optional.empty[Integer])(Optional.of(_))

  /** Its value is the text of its offset, and its timestamp is the offset too. */
  def record(
      partition: TopicPartition,
      offset: Long,
      epoch: Option[Int] = None
  ): ConsumerRecord[Array[Byte], Array[Byte]] = {
    val value = offset.toString.getBytes
    new ConsumerRecord(
      partition.topic,
      partition.partition,
      offset,
      offset,
      TimestampType.CREATE_TIME,
      -1,
      value.length,
      null,
      value,
      new RecordHeaders,
      this.epoch(epoch)
    )
  }
}
