package io.github.dynamickafka.spark.spark

import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, Printable}
import io.github.dynamickafka.spark.offsets.{SourceOffset, SparkOffsetText}
import io.github.dynamickafka.spark.plan.SparkBatch

/** The offsets of a checkpoint that Spark's own Kafka source may have begun.
  *
  * @param cluster the cluster of its offsets; none if the query has metadata
  */
final private[spark] class SparkCheckpoint(cluster: Option[ClusterId], files: CheckpointFiles) {
  private val log   = LoggerFactory.getLogger(classOf[SparkCheckpoint])
  private val first = new AtomicReference[Option[SourceOffset]](None)
  // Whether an offset was seen that Spark's own source has written.
  private val sparks = new AtomicBoolean(false)

  /** What a text in the checkpoint means, if Spark's own source has written it. */
  def read(text: String): Option[SourceOffset] = {
    val held = cluster.flatMap(SparkOffsetText.held(text, _))
    if (held.isDefined) sparks.set(true)
    held
  }

  /** The offset before the first batch. Spark's own source fixes it at the first start, even if no batch follows.
    *
    * @throws DynamicKafkaException `OFFSET_VERSION` if its file can't be understood
    */
  def initial: SourceOffset = cluster.flatMap(_ => files.sparksInitialOffset).fold(SourceOffset.initial)(text =>
    read(text).getOrElse(throw DynamicKafkaException(
      Condition.OffsetVersion,
      s"The checkpoint has a file `0` of the source ${files.source}, where Spark's own Kafka source keeps the offset from " +
        s"which it began, and it holds no such offset: ${Printable.clipped(text)}. Restore the file, or use a new checkpoint."
    ))
  )

  /** From where a batch is read that ends at this text.
    *
    * @throws DynamicKafkaException `DATA_LOSS` if Spark's own source has logged the batch, and records of it are lost
    */
  def batchFrom(start: SourceOffset, end: TextOffset, failOnDataLoss: Boolean): SourceOffset =
    if (!sparks.get || read(end.json()).isEmpty) start
    else {
      val batch = SparkBatch.of(start, end.value, failOnDataLoss).fold(failure => throw failure.exception, identity)
      batch.loss.foreach(loss => log.warn(loss.toString))
      batch.start
    }

  /** Takes note of the offset with which a start of the query begins. */
  def begins(held: SourceOffset): SourceOffset = {
    if (first.compareAndSet(None, Some(held)) && sparks.get)
      log.warn(
        "This query continues a checkpoint of Spark's own Kafka source. Its first trigger logs an offset that Spark's own " +
          "source can't read. The way back is `dynamic-kafka adopt --back`, never an old copy of the checkpoint: a sink that " +
          "knows batch ids would leave out rows."
      )
    held
  }

  /** By topic, the partitions that the query holds when it starts, and those that it has seen and not begun. */
  def partitions: Map[String, Set[Int]] = {
    val held = for {
      offset  <- first.get.toVector
      cluster <- offset.clusters.values
      name    <- (cluster.topics.keySet ++ cluster.pendingTopics.keySet).toVector
    } yield name -> (cluster.topics.get(name).fold(Set.empty[Int])(_.partitions.keySet.toSet) ++
      cluster.pendingTopics.get(name).fold(Set.empty[Int])(_.partitions(name)))
    held.toMap
  }
}
