package io.github.dynamickafka.spark.read

import java.time.Duration
import java.util.{
  Collection => JCollection,
  Collections,
  HashMap => JHashMap,
  HashSet => JHashSet,
  List => JList,
  Set => JSet
}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{ConsumerRecords, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.kafka.consumer.{EpochPosition, FetchSizes, RecordSource}
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** A consumer that remembers where it stands and what it fetched beyond the last task's ranges. The next task that
  * reads on from there need not seek, which would drop all that is fetched (`make bench-quick ARGS=triggers`). Not
  * thread-safe: it belongs to one task, or to the pool.
  *
  * @param sizes how much it fetches at a time
  */
final class WarmConsumer(source: RecordSource, sizes: FetchSizes) extends AutoCloseable {

  // Mutable, because every poll changes them: the partitions that it reads or keeps; what Kafka's consumer is assigned,
  // which are these and those that were dropped since; and the most that were assigned at once since none was kept.
  private val partitions                     = new JHashMap[TopicPartition, WarmPartition]
  private var assigned: JSet[TopicPartition] = Collections.emptySet
  private var together                       = 0
  // Of all that it has read.
  private var cluster  = Option.empty[String]
  private var topicIds = Map.empty[String, String]
  private var epochs   = Map.empty[TopicPartition, Int]
  // Those topics of what it reads that Kafka's consumer knew when `forgets` was asked last.
  private var known = Set.empty[String]

  // The most bytes that it holds from tasks before and for later ones.
  private var kept = 0L

  /** The most bytes that it holds, counted as in [[FetchWindow]]. */
  def bytes: Long = kept + partitions.values.asScala.iterator.map { one =>
    if (one.reads) FetchWindow.whileFetched(sizes) else if (one.held.isEmpty) FetchWindow.whileCaughtUp(sizes) else 0
  }.sum

  /** Reads nothing more, and holds nothing of what it has read. It stays connected. */
  def letGo(): Unit = {
    assign(Nil)
    kept = 0
  }

  /** How many of these partitions it is assigned. */
  def knows(wanted: Iterable[TopicPartition]): Int = wanted.count(partitions.containsKey)

  /** Whether it may read this Kafka cluster. If it has read another one at the same address, its metadata may be of that.
    *
    * @param kafkaId Kafka's id of the cluster, if that is known
    */
  def isOf(kafkaId: Option[String]): Boolean = {
    val same = kafkaId.forall(id => cluster.forall(_ == id))
    if (same) cluster = kafkaId.orElse(cluster)
    same
  }

  /** Whether it may read what a task reads. If a topic was created again since this consumer read the earlier one of its
    * name, it may not: the new topic has other records at the same offsets. The same holds where a partition had another
    * leader since, because its log may have been cut. To drop the partition would not be enough, because a response
    * about the earlier log may still be on its way. Kafka's consumer accepts it if the partition is assigned again by
    * then, at the same offset.
    *
    * @param now Kafka's ids of the topics that the task reads, as far as they are known
    * @param planned the leader epochs under which the ends of its partitions were planned, as far as they are known
    */
  def mayRead(now: Map[String, String], planned: Map[TopicPartition, Int]): Boolean = {
    val same = !now.exists { case (topic, id) => topicIds.get(topic).exists(_ != id) } &&
      !planned.exists { case (partition, epoch) => epochs.get(partition).exists(_ < epoch) }
    if (same) {
      topicIds ++= now
      // A batch that is read again may have been planned before another one that this consumer has read.
      epochs = planned ++ epochs
    }
    same
  }

  /** Begins a task: reads these partitions from these offsets on, and no others.
    *
    * @param mayHold whether it may go on holding so many bytes of them from tasks before; if not, it drops them first
    */
  def begin(starts: Map[TopicPartition, Start])(mayHold: Long => Boolean): Unit = {
    val carried = kept.min(keptOf(starts.keys)._2)
    if (mayHold(carried)) kept = carried else letGo()
    assign(starts.keys)
    starts.foreach { case (partition, start) =>
      Option(partitions.get(partition)).filter(_.position == start.offset) match {
        case Some(warm) => partitions.put(partition, warm.reading): Unit
        case None       => seek(partition, start)
      }
    }
    // A task before may have paused what it had read.
    source.resume(starts.keySet.asJava)
  }

  /** Reads these partitions too, none of which it is assigned, and lets go of all that was dropped. */
  def extend(starts: Map[TopicPartition, Start]): Unit = {
    if (starts.nonEmpty || dropped) assign(partitions.keySet.asScala ++ starts.keys)
    starts.foreach { case (partition, start) => seek(partition, start) }
  }

  def seek(partition: TopicPartition, start: Start): Unit = {
    source.seek(partition, start.offset, start.epoch)
    partitions.put(partition, WarmPartition(start.offset, held = held(partition))): Unit
  }

  /** Drops what the last poll brought of this partition from the offset on. Nothing of it comes before `agreement` asks
    * about it.
    */
  def hold(partition: TopicPartition, offset: Long): Unit = {
    seek(partition, Start(offset))
    source.pause(Collections.singleton(partition))
  }

  /** Up to where the logs hold what they held when these positions were set: see [[RecordSource.agreement]]. Afterwards
    * each partition is read on from where it stood.
    */
  def agreement(of: Map[TopicPartition, EpochPosition], timeout: Duration): Map[TopicPartition, Option[Long]] =
    try source.agreement(of, timeout)
    finally {
      // What comes is checked by its epochs.
      of.keys.foreach(partition => source.seek(partition, partitions.get(partition).position, None))
      source.resume(of.keySet.asJava)
    }

  /** Whether what has just come of these partitions may be of other topics than it seems, or of another cluster.
    *
    * A topic that was deleted, and all topics once no broker is left, are not in Kafka's consumer's metadata any more. It still
    * fetches them from the leader that it knew last. As it has no ids then, it fetches all from this broker by name.
    */
  def forgets(of: JCollection[TopicPartition]): Boolean = {
    val read          = partitions.asScala.collect { case (partition, warm) if warm.reads => partition.topic }.toSet
    val (now, others) = read.partition(source.knows)
    val forgot        = others.exists(known)
    known = now
    forgot || !knowsAll(of)
  }

  /** Whether Kafka's consumer knows the topics of all of these. */
  def knowsAll(of: JCollection[TopicPartition]): Boolean = of.asScala.forall(partition => source.knows(partition.topic))

  /** Kafka's id of the cluster that answers. */
  def kafkaId: Option[String] = source.kafkaId

  /** Kafka's id of a topic, as it knows it now. */
  def topicId(topic: String): Option[String] = source.topicId(topic)

  /** The epoch of a partition's leader, as it knows it now. */
  def leaderEpoch(partition: TopicPartition): Option[Int] = source.leaderEpoch(partition)

  /** Ends the reading of one partition. Either what is fetched of it is kept for the next task, or all of it is dropped;
    * `extend` or the next poll lets go of it then.
    *
    * @param until where the next task will begin, most probably
    * @param beyond all that the last poll brought from this offset on
    * @param mayHold whether it may be kept, given the bytes that no longer count then, and those that count from now on
    */
  def end(partition: TopicPartition, until: Long, beyond: JList[Record])(mayHold: (Long, Long) => Boolean): Unit = {
    // No record of it is held. A fetch may be under way: it counts now, and in the next task as one of its own.
    val caughtUp        = beyond.isEmpty && source.caughtUp(partition)
    val back            = beyond.asScala.iterator.map(RecordSize.inMemory).sum
    val (count, others) = keptOf(partitions.keySet.asScala.filter(_ != partition))
    val before          = kept - kept.min(others)
    // What was kept where fewer were fetched at a time counts less. It may be fetched again, together with this one.
    val counted =
      if (kept >= others) count else partitions.values.asScala.count(one => one.held.isDefined && !one.reads)
    val toHold =
      if (caughtUp) FetchWindow.whileCaughtUp(sizes) else FetchWindow.whileKept(sizes, together - counted) + back
    kept -= before
    if (mayHold(before, toHold)) {
      source.pause(Collections.singleton(partition))
      val held = Option.when(!caughtUp)(back)
      partitions.computeIfPresent(partition, (_, warm) => warm.kept(until, beyond, held))
      if (!caughtUp) kept += toHold
    } else partitions.remove(partition): Unit
  }

  /** What was put back for this task, or else what Kafka's consumer brings within this time. */
  def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
    extend(Map.empty)
    val fetched = if (partitions.values.asScala.exists(_.ready)) takePutBack() else source.poll(timeout)
    fetched.nextOffsets.forEach((partition, next) =>
      partitions.computeIfPresent(partition, (_, warm) => warm.at(next)): Unit
    )
    fetched
  }

  /** What these partitions hold on their brokers. */
  def extents(of: JCollection[TopicPartition], timeout: Duration): Map[TopicPartition, Extent] =
    source.extents(of, timeout)

  /** Whether brokers say that this topic does not exist. */
  def deleted(topic: String, timeout: Duration): Boolean = source.deleted(topic, timeout)

  /** Ends the poll that is under way, or else the next one, with an exception. Any thread may call this. */
  def wakeup(): Unit = source.wakeup()

  override def close(): Unit = source.close()

  private def held(partition: TopicPartition): Option[Long] = Option(partitions.get(partition)).flatMap(_.held)

  // Of how many of these it may hold anything from tasks before, and the most bytes of that.
  private def keptOf(some: Iterable[TopicPartition]): (Int, Long) = {
    val back = some.iterator.flatMap(held).toVector
    (back.size, back.sum + back.indices.iterator.map(n => FetchWindow.whileKept(sizes, together - n)).sum)
  }

  // Whatever is added is assigned at once, so only what was dropped makes a difference.
  private def dropped: Boolean = partitions.size != assigned.size

  // What was dropped is let go of here, all at once, because Kafka's consumer takes only whole assignments.
  private def assign(wanted: Iterable[TopicPartition]): Unit = {
    val all = new JHashSet[TopicPartition](wanted.asJavaCollection)
    // Kafka's consumer logs each assignment, the same one too.
    if (all != assigned) source.assign(all)
    assigned = all
    partitions.keySet.retainAll(all)
    together = if (partitions.values.asScala.exists(_.held.isDefined)) together.max(all.size) else all.size
  }

  private def takePutBack(): ConsumerRecords[Array[Byte], Array[Byte]] = {
    val records = new JHashMap[TopicPartition, JList[Record]]
    val next    = new JHashMap[TopicPartition, OffsetAndMetadata]
    for ((partition, warm) <- partitions.asScala; back <- warm.putBack if warm.ready) {
      records.put(partition, back.records)
      next.put(partition, back.next)
    }
    new ConsumerRecords(records, next)
  }
}
