package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.{CompletableFuture, CompletionException}
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.kafka.clients.admin._
import org.apache.kafka.common.{IsolationLevel, KafkaFuture, TopicPartition, Uuid}
import org.apache.kafka.common.IsolationLevel.{READ_COMMITTED, READ_UNCOMMITTED}
import org.apache.kafka.common.acl.AclOperation
import org.apache.kafka.common.errors.{
  RetriableException,
  TopicAuthorizationException,
  UnknownTopicOrPartitionException,
  UnsupportedVersionException
}

/** What a topic is, without what it holds.
  *
  * @param kafkaId nothing from brokers before 2.8, which give topics no id
  * @param leaderless the partitions that no broker leads now, of which nobody reports offsets
  * @param missing the operations that the principal lacks, as far as the brokers say so
  */
final private[kafka] case class TopicShape(
    kafkaId: Option[String],
    partitions: Vector[Int],
    leaderless: Vector[Int] = Vector.empty,
    missing: Vector[String] = Vector.empty
) extends TopicAnswer {

  /** Whether this is the same topic, and offsets can be asked for of the same partitions. */
  def same(other: TopicShape): Boolean =
    kafkaId == other.kafkaId && partitions == other.partitions && leaderless == other.leaderless
}

/** What the brokers say of one topic. */
sealed private[kafka] trait TopicAnswer extends Product with Serializable

private[kafka] object TopicAnswer {

  /** There is no such topic. */
  case object NotThere extends TopicAnswer

  /** We may not know. */
  case object Denied extends TopicAnswer
}

/** The offsets of some partitions.
  *
  * @param silent the partitions that got no answer in time, each with the question, which may still be under way
  * @param denied the topics that may not be described any more
  */
final private[kafka] case class Offsets(
    found: Map[TopicPartition, Long],
    silent: Map[TopicPartition, CompletableFuture[_]] = Map.empty,
    denied: Set[String] = Set.empty
) {

  /** All or nothing. */
  def whole: CompletableFuture[Map[TopicPartition, Long]] =
    if (denied.nonEmpty) CompletableFuture.failedFuture(new TopicAuthorizationException(denied.asJava))
    else silent.headOption.fold(CompletableFuture.completedFuture(found)) { case (_, asked) =>
      asked.thenApply(_ => found)
    }
}

/** The questions that one call each answers. Futures fail as Kafka's do, but a refusal names its topic. */
private[kafka] trait ClusterCalls {

  def topics(names: Set[String]): CompletableFuture[Map[String, TopicAnswer]]

  /** Whether only what is committed may be read. */
  def committedOnly: Boolean

  /** Of what may be read. A partition whose topic is deleted meanwhile is left out: it is not known to be gone, nor what it
    * holds.
    *
    * @param patience after which the answer is given as it is by then
    */
  def offsets(
      of: Vector[TopicPartition],
      spec: OffsetSpec,
      patience: CompletableFuture[Void]
  ): CompletableFuture[Offsets]

  /** The same of all that was written: what an open transaction holds back, too. */
  def written(
      of: Vector[TopicPartition],
      spec: OffsetSpec,
      patience: CompletableFuture[Void]
  ): CompletableFuture[Offsets]

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

  // Asked for each time: Kafka from 3.9 on works it out for each answer anyway. Brokers before 2.3 can't, and Kafka's client
  // fails before it asks them.
  private val tellRights = new AtomicBoolean(true)

  override def topics(names: Set[String]): CompletableFuture[Map[String, TopicAnswer]] =
    if (!tellRights.get) topics(names, rights = false)
    else topics(names, rights = true).exceptionallyCompose(thrown =>
      Diagnosis.root(thrown) match {
        case _: UnsupportedVersionException =>
          tellRights.set(false)
          topics(names, rights = false)
        case other => CompletableFuture.failedFuture(other)
      }
    )

  private def topics(names: Set[String], rights: Boolean): CompletableFuture[Map[String, TopicAnswer]] = {
    val options = limited(new DescribeTopicsOptions).includeAuthorizedOperations(rights)
    val asked   = admin.describeTopics(names.asJava, options).topicNameValues.asScala
    all(asked.toVector.map { case (name, answer) => told(answer).thenApply(name -> _) }).thenApply(_.toMap)
  }

  private def told(answer: KafkaFuture[TopicDescription]): CompletableFuture[TopicAnswer] =
    future(answer).handle((found, thrown) =>
      Option(thrown).map(Diagnosis.root) match {
        case None                                      => shape(found)
        case Some(_: UnknownTopicOrPartitionException) => TopicAnswer.NotThere
        case Some(_: TopicAuthorizationException)      => TopicAnswer.Denied
        case Some(other)                               => throw new CompletionException(other)
      }
    )

  override def offsets(
      of: Vector[TopicPartition],
      spec: OffsetSpec,
      patience: CompletableFuture[Void]
  ): CompletableFuture[Offsets] = listed(of, spec, if (committedOnly) READ_COMMITTED else READ_UNCOMMITTED, patience)

  override def written(
      of: Vector[TopicPartition],
      spec: OffsetSpec,
      patience: CompletableFuture[Void]
  ): CompletableFuture[Offsets] = listed(of, spec, READ_UNCOMMITTED, patience)

  private def listed(
      of: Vector[TopicPartition],
      spec: OffsetSpec,
      isolation: IsolationLevel,
      patience: CompletableFuture[Void]
  ): CompletableFuture[Offsets] = {
    val result = admin.listOffsets(of.map(_ -> spec).toMap.asJava, limited(new ListOffsetsOptions(isolation)))
    val asked  = of.map(tp => tp -> future(result.partitionResult(tp)).thenApply[Long](_.offset))
    val each   = CompletableFuture.allOf(asked.map(_._2): _*).handle[Void]((done, _) => done)
    CompletableFuture.anyOf(each, patience).thenApply(_ => AdminCalls.heard(asked))
  }

  override def clusterId: CompletableFuture[Option[String]] =
    future(admin.describeCluster(limited(new DescribeClusterOptions)).clusterId)
      .thenApply(id => Option(id).filter(_.nonEmpty))

  private def shape(topic: TopicDescription): TopicShape = TopicShape(
    Option(topic.topicId).filter(_ != Uuid.ZERO_UUID).map(_.toString),
    topic.partitions.asScala.map(_.partition).toVector,
    topic.partitions.asScala.filter(it => Option(it.leader).forall(_.isEmpty)).map(_.partition).toVector,
    AdminCalls.missing(topic.authorizedOperations)
  )

  private def limited[A <: AbstractOptions[A]](options: A): A = options.timeoutMs(timeout.toMillis.toInt)
}

private[kafka] object AdminCalls {

  /** What is not allowed of what reading takes. Brokers that can't tell say nothing, or that nothing is allowed: whoever is
    * told of a topic may describe it, so only an answer that has this is one.
    */
  def missing(allowed: java.util.Set[AclOperation]): Vector[String] = {
    val known = Option(allowed).fold(Set.empty[AclOperation])(_.asScala.toSet)
    val some  = known(AclOperation.DESCRIBE)
    if (some && !known(AclOperation.READ) && !known(AclOperation.ALL)) Vector(AclOperation.READ.name) else Vector.empty
  }

  /** What has been answered by now. A partition whose leader can't be reached, or has just changed, keeps nobody from the
    * rest; any other failure is one of the cluster.
    */
  def heard(asked: Vector[(TopicPartition, CompletableFuture[Long])]): Offsets = {
    val (found, rest) = asked.partition { case (_, answer) => answer.isDone && !answer.isCompletedExceptionally }
    val told          = Offsets(found.iterator.map { case (tp, answer) => tp -> answer.join }.toMap)
    rest.foldLeft(told) { case (all, (tp, answer)) =>
      cause(answer) match {
        case Some(_: UnknownTopicOrPartitionException) => all
        case Some(_: TopicAuthorizationException)      => all.copy(denied = all.denied + tp.topic)
        case None | Some(_: RetriableException)        => all.copy(silent = all.silent.updated(tp, answer))
        case Some(other)                               => throw new CompletionException(other)
      }
    }
  }

  /** Why it failed, if it has. */
  private def cause(answer: CompletableFuture[Long]): Option[Throwable] =
    if (!answer.isDone) None else Try(answer.join).failed.toOption.map(Diagnosis.root)
}

private[kafka] object Futures {
  def future[A](kafka: KafkaFuture[A]): CompletableFuture[A] = kafka.toCompletionStage.toCompletableFuture

  def all[A](futures: Vector[CompletableFuture[A]]): CompletableFuture[Vector[A]] =
    CompletableFuture.allOf(futures: _*).thenApply(_ => futures.map(_.join))
}
