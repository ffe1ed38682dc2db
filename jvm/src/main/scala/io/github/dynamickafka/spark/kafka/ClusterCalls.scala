package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.{CompletableFuture, CompletionException}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin._
import org.apache.kafka.common.{IsolationLevel, KafkaFuture, TopicPartition, Uuid}
import org.apache.kafka.common.IsolationLevel.{READ_COMMITTED, READ_UNCOMMITTED}
import org.apache.kafka.common.errors.{TopicAuthorizationException, UnknownTopicOrPartitionException}

/** What a topic is, without what it holds.
  *
  * @param kafkaId nothing from brokers before 2.8, which give topics no id
  * @param leaderless the partitions that no broker leads now, of which nobody tells offsets
  */
final private[kafka] case class TopicShape(
    kafkaId: Option[String],
    partitions: Vector[Int],
    leaderless: Vector[Int] = Vector.empty
)

/** The questions that one call each answers. Futures fail as Kafka's do, but a refusal names its topic. */
private[kafka] trait ClusterCalls {

  /** By name; nothing for a topic that the brokers say is not there. */
  def topics(names: Set[String]): CompletableFuture[Map[String, Option[TopicShape]]]

  /** Whether only what is committed may be read. */
  def committedOnly: Boolean

  /** Of what may be read. A partition whose topic is deleted meanwhile is left out: it is not known to be gone, nor what it
    * holds.
    */
  def offsets(of: Vector[TopicPartition], spec: OffsetSpec): CompletableFuture[Map[TopicPartition, Long]]

  /** The same of all that was written: what an open transaction holds back, too. */
  def written(of: Vector[TopicPartition], spec: OffsetSpec): CompletableFuture[Map[TopicPartition, Long]]

  /** Kafka's id of the cluster. */
  def clusterId: CompletableFuture[Option[String]]
}

/** By Kafka's own client.
  *
  * @param timeout of each call
  */
final private[kafka] class AdminCalls(admin: Admin, override val committedOnly: Boolean, timeout: Duration)
    extends ClusterCalls {
  import Futures._

  override def topics(names: Set[String]): CompletableFuture[Map[String, Option[TopicShape]]] = {
    val asked = admin.describeTopics(names.asJava, limited(new DescribeTopicsOptions)).topicNameValues.asScala
    all(asked.toVector.map { case (name, answer) => unlessUnknown(name, answer).thenApply(name -> _.map(shape)) })
      .thenApply(_.toMap)
  }

  override def offsets(of: Vector[TopicPartition], spec: OffsetSpec): CompletableFuture[Map[TopicPartition, Long]] =
    listed(of, spec, if (committedOnly) READ_COMMITTED else READ_UNCOMMITTED)

  override def written(of: Vector[TopicPartition], spec: OffsetSpec): CompletableFuture[Map[TopicPartition, Long]] =
    listed(of, spec, READ_UNCOMMITTED)

  private def listed(of: Vector[TopicPartition], spec: OffsetSpec, isolation: IsolationLevel) = {
    val result = admin.listOffsets(of.map(_ -> spec).toMap.asJava, limited(new ListOffsetsOptions(isolation)))
    all(of.map(tp => unlessUnknown(tp.topic, result.partitionResult(tp)).thenApply(_.map(tp -> _.offset))))
      .thenApply(_.flatten.toMap)
  }

  override def clusterId: CompletableFuture[Option[String]] =
    future(admin.describeCluster(limited(new DescribeClusterOptions)).clusterId)
      .thenApply(id => Option(id).filter(_.nonEmpty))

  private def shape(topic: TopicDescription): TopicShape = TopicShape(
    Option(topic.topicId).filter(_ != Uuid.ZERO_UUID).map(_.toString),
    topic.partitions.asScala.map(_.partition).toVector,
    topic.partitions.asScala.filter(it => Option(it.leader).forall(_.isEmpty)).map(_.partition).toVector
  )

  private def unlessUnknown[A](topic: String, answer: KafkaFuture[A]): CompletableFuture[Option[A]] =
    future(answer).handle((found, thrown) =>
      Option(thrown).map(Diagnosis.root) match {
        case None                                      => Some(found)
        case Some(_: UnknownTopicOrPartitionException) => None
        // Kafka's own exception leaves out which topic it is about.
        case Some(_: TopicAuthorizationException) =>
          throw new CompletionException(new TopicAuthorizationException(Set(topic).asJava))
        case Some(other) => throw new CompletionException(other)
      }
    )

  private def limited[A <: AbstractOptions[A]](options: A): A = options.timeoutMs(timeout.toMillis.toInt)
}

private[kafka] object Futures {
  def future[A](kafka: KafkaFuture[A]): CompletableFuture[A] = kafka.toCompletionStage.toCompletableFuture

  def all[A](futures: Vector[CompletableFuture[A]]): CompletableFuture[Vector[A]] =
    CompletableFuture.allOf(futures: _*).thenApply(_ => futures.map(_.join))
}
