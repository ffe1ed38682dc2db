package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration
import java.util.{Collection => JCollection}

import org.apache.kafka.clients.consumer.ConsumerRecords
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.reconcile.observed.Extent

/** What reading needs of a Kafka consumer. One thread at a time uses it. Failures are Kafka's own exceptions. */
trait RecordSource extends AutoCloseable {

  /** Reads these partitions from now on, and no others. Those that were assigned before keep their position, and what was
    * fetched of them.
    */
  def assign(partitions: JCollection[TopicPartition]): Unit

  /** Continues at this offset. With a leader epoch, the next poll first asks the leader whether the log still holds all
    * before the offset.
    */
  def seek(partition: TopicPartition, offset: Long, epoch: Option[Int]): Unit

  /** Returns no record of these partitions until they are resumed. */
  def pause(partitions: JCollection[TopicPartition]): Unit

  def resume(partitions: JCollection[TopicPartition]): Unit

  /** Sends fetches, and returns as soon as anything has arrived. `nextOffsets` names every partition that moved, also one
    * that moved over a gap without a record.
    */
  def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]]

  /** Whether all is read that the leader of a partition had at its last answer. Then nothing of it is fetched ahead. */
  def caughtUp(partition: TopicPartition): Boolean

  /** What each of these partitions holds now, as its leader reports.
    *
    * @param timeout of the question as a whole
    */
  def extents(partitions: JCollection[TopicPartition], timeout: Duration): Map[TopicPartition, Extent]

  /** The offset up to which each log is unchanged since its position was set: the position itself, unless the log was
    * cut below it. None if the brokers can't say. A partition whose leader does not answer in time is left out. The
    * partitions must be assigned; their positions change.
    *
    * @param timeout of the question as a whole
    */
  def agreement(positions: Map[TopicPartition, EpochPosition], timeout: Duration): Map[TopicPartition, Option[Long]]

  /** Kafka's id of the cluster, as its brokers gave it last; none before the first answer, and none while the consumer asks its
    * first addresses again because it lost all brokers.
    */
  def kafkaId: Option[String]

  /** Kafka's id of a topic, by the last answer about metadata; none where brokers give none, or it can't be known. Whatever
    * a poll has returned was fetched under this id or an earlier one.
    */
  def topicId(topic: String): Option[String]

  /** The epoch of a partition's leader, by the last answer about metadata; none where brokers give none, or it can't be known. */
  def leaderEpoch(partition: TopicPartition): Option[Int]

  /** Whether it knows this topic, by the last answer about metadata. It does not know one that was deleted, and none at all
    * while it asks its first addresses again. True where that can't be known.
    */
  def knows(topic: String): Boolean

  /** Whether brokers say that this topic does not exist.
    *
    * @param timeout of the question as a whole
    */
  def deleted(topic: String, timeout: Duration): Boolean

  /** Ends the call that is under way, or else the next one, with an exception. Any thread may call this. */
  def wakeup(): Unit

  /** Closes the consumer, without waiting for anything. */
  override def close(): Unit
}

/** A position, and the leader epoch of the answer that set it.
  *
  * @param leader the epoch of a leader that is known to have come later; what an earlier one says does not count
  */
final case class EpochPosition(offset: Long, epoch: Int, leader: Option[Int] = None)
