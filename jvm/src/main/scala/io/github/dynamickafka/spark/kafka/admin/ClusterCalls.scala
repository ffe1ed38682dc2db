package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.concurrent.{CompletableFuture, CompletionException}
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._
import scala.util.Try

import org.apache.kafka.clients.admin._
import org.apache.kafka.common.{KafkaFuture, TopicCollection, TopicPartition, Uuid}
import org.apache.kafka.common.IsolationLevel.{READ_COMMITTED, READ_UNCOMMITTED}
import org.apache.kafka.common.acl.AclOperation
import org.apache.kafka.common.errors.{
  RetriableException,
  TopicAuthorizationException,
  UnknownTopicIdException,
  UnknownTopicOrPartitionException,
  UnsupportedVersionException
}

import io.github.dynamickafka.spark.kafka.failure.Diagnosis

/** A topic's id and partitions, without offsets.
  *
  * @param kafkaId none from brokers before 2.8, which give topics no id
  * @param leaderless the partitions that no broker leads now, so that no broker reports their offsets
  * @param missing the operations that the principal may not use, as far as the brokers report that
  */
final private[kafka] case class TopicShape(
    kafkaId: Option[String],
    partitions: Vector[Int],
    leaderless: Vector[Int] = Vector.empty,
    missing: Vector[String] = Vector.empty
) extends TopicAnswer {

  /** The same, of these partitions alone. */
  def only(some: Set[Int]): TopicShape =
    copy(partitions = partitions.filter(some), leaderless = leaderless.filter(some))
}

/** What the brokers report of one topic. */
sealed private[kafka] trait TopicAnswer extends Product with Serializable

private[kafka] object TopicAnswer {

  /** There is no such topic. */
  case object Absent extends TopicAnswer

  /** We may not describe it. */
  case object Denied extends TopicAnswer
}

/** The offsets of some partitions.
  *
  * @param silent the partitions without an answer in time, each with its question, which may still be under way
  * @param denied the topics that we may not describe any more
  * @param unknown the partitions that the broker that was asked does not know, each with its question, which has failed
  */
final private[kafka] case class Offsets(
    found: Map[TopicPartition, FoundOffset],
    silent: Map[TopicPartition, CompletableFuture[_]] = Map.empty,
    denied: Set[String] = Set.empty,
    unknown: Map[TopicPartition, CompletableFuture[_]] = Map.empty
) {

  /** The offsets of all partitions, or a failure. Those that are not known are left out. */
  def whole: CompletableFuture[Map[TopicPartition, FoundOffset]] =
    if (denied.nonEmpty) CompletableFuture.failedFuture(new TopicAuthorizationException(denied.asJava))
    else silent.headOption.fold(CompletableFuture.completedFuture(found)) { case (_, asked) =>
      asked.thenApply(_ => found)
    }
}

/** One answer of a leader.
  *
  * @param epoch of that leader; older brokers give none
  */
final private[kafka] case class FoundOffset(offset: Long, epoch: Option[Int] = None)

/** The questions to a cluster, each answered by one call. Futures fail as Kafka's do, but a refusal names its topic. */
private[kafka] trait ClusterCalls {

  def topics(names: Set[String]): CompletableFuture[Map[String, TopicAnswer]]

  /** Whether only committed records may be read. */
  def committedOnly: Boolean

  /** The offsets of these partitions. Those of a topic that was deleted meanwhile, or that one broker has not heard of
    * yet, are not known: nobody can say what they hold.
    *
    * @param written whether uncommitted records count too; otherwise only what may be read
    * @param patience when it ends, the answers so far are the result
    */
  def offsets(
      of: Vector[TopicPartition],
      spec: OffsetSpec,
      patience: CompletableFuture[Void],
      written: Boolean = false
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

  // Rights are asked for each time, because Kafka from 3.9 on works them out for each answer anyway. Brokers before 2.3
  // can't report them, and Kafka's client fails before it asks such a broker.
  private val rightsKnown = new AtomicBoolean(true)

  // Those of the last answer.
  private val ids = new AtomicReference(Map.empty[String, Uuid])

  // Brokers before 3.1 take no ids.
  private val idsTaken = new AtomicBoolean(true)

  /** Asks by id where all ids are known: that is one request. For names Kafka's client makes two, one after the other. */
  override def topics(names: Set[String]): CompletableFuture[Map[String, TopicAnswer]] = {
    val known = ids.get
    if (names.isEmpty || !idsTaken.get || !names.forall(known.contains)) byName(names)
    else byId(known.filter { case (name, _) => names(name) }).exceptionallyCompose(thrown =>
      Diagnosis.root(thrown) match {
        case _: UnsupportedVersionException =>
          idsTaken.set(false)
          byName(names)
        // Gone, created anew or refused: the answer to its name says which.
        case _: UnknownTopicIdException | _: TopicAuthorizationException => byName(names)
        case other                                                       => CompletableFuture.failedFuture(other)
      }
    )
  }

  private def byId(known: Map[String, Uuid]): CompletableFuture[Map[String, TopicAnswer]] = {
    val asked = admin.describeTopics(TopicCollection.ofTopicIds(known.values.toVector.asJava), described)
    gathered(known.toVector.map { case (name, id) =>
      future(asked.topicIdValues.get(id)).thenApply[(String, TopicAnswer)](name -> shape(_))
    })
  }

  private def byName(names: Set[String]): CompletableFuture[Map[String, TopicAnswer]] = {
    val rights = rightsKnown.get
    named(names).exceptionallyCompose(thrown =>
      Diagnosis.root(thrown) match {
        case _: UnsupportedVersionException if rights =>
          rightsKnown.set(false)
          named(names)
        case other => CompletableFuture.failedFuture(other)
      }
    ).thenApply { found =>
      ids.set(found.collect { case (name, TopicShape(Some(id), _, _, _)) => name -> Uuid.fromString(id) })
      found
    }
  }

  private def named(names: Set[String]): CompletableFuture[Map[String, TopicAnswer]] = {
    val asked = admin.describeTopics(TopicCollection.ofTopicNames(names.asJava), described).topicNameValues.asScala
    gathered(asked.toVector.map { case (name, answer) => answered(answer).thenApply(name -> _) })
  }

  private def described: DescribeTopicsOptions =
    limited(new DescribeTopicsOptions).includeAuthorizedOperations(rightsKnown.get)

  private def gathered(answers: Vector[CompletableFuture[(String, TopicAnswer)]]) =
    guarded(all(answers).thenApply(_.toMap))

  private def answered(answer: KafkaFuture[TopicDescription]): CompletableFuture[TopicAnswer] =
    future(answer).handle((found, thrown) =>
      Option(thrown).map(Diagnosis.root) match {
        case None                                      => shape(found)
        case Some(_: UnknownTopicOrPartitionException) => TopicAnswer.Absent
        case Some(_: TopicAuthorizationException)      => TopicAnswer.Denied
        case Some(other)                               => throw new CompletionException(other)
      }
    )

  override def offsets(
      of: Vector[TopicPartition],
      spec: OffsetSpec,
      patience: CompletableFuture[Void],
      written: Boolean
  ): CompletableFuture[Offsets] = {
    val isolation = if (committedOnly && !written) READ_COMMITTED else READ_UNCOMMITTED
    val result    = admin.listOffsets(of.map(_ -> spec).toMap.asJava, limited(new ListOffsetsOptions(isolation)))
    val asked     = of.map(tp =>
      tp -> future(result.partitionResult(tp)).thenApply(it =>
        FoundOffset(it.offset, it.leaderEpoch.toScala.map(_.intValue))
      )
    )
    val each = CompletableFuture.allOf(asked.map(_._2): _*).handle[Void]((done, _) => done)
    CompletableFuture.anyOf(each, patience).thenApply(_ => AdminCalls.answered(asked))
  }

  override def clusterId: CompletableFuture[Option[String]] =
    guarded(future(admin.describeCluster(limited(new DescribeClusterOptions)).clusterId)
      .thenApply(id => Option(id).filter(_.nonEmpty)))

  private def shape(topic: TopicDescription): TopicShape = TopicShape(
    Option(topic.topicId).filter(_ != Uuid.ZERO_UUID).map(_.toString),
    topic.partitions.asScala.map(_.partition).toVector,
    topic.partitions.asScala.filter(it => Option(it.leader).forall(_.isEmpty)).map(_.partition).toVector,
    AdminCalls.missing(topic.authorizedOperations)
  )

  private def limited[A <: AbstractOptions[A]](options: A): A = options.timeoutMs(AdminCalls.millis(timeout))

  // A client whose thread has died never answers, and does not fail either.
  private def guarded[A](answer: CompletableFuture[A]): CompletableFuture[A] =
    answer.orTimeout(timeout.toMillis, MILLISECONDS)
}

private[kafka] object AdminCalls {

  /** A time limit as Kafka's client takes it: 24 days at most. */
  def millis(limit: Duration): Int = limit.toMillis.min(Int.MaxValue.toLong).toInt

  /** The operations that reading needs and that are not allowed. Brokers that can't report rights leave them out, or
    * report that nothing is allowed. Whoever gets a description of a topic may describe it, so only a report that
    * allows DESCRIBE counts.
    */
  def missing(allowed: java.util.Set[AclOperation]): Vector[String] = {
    val known = Option(allowed).fold(Set.empty[AclOperation])(_.asScala.toSet)
    if (known(AclOperation.DESCRIBE) && !known(AclOperation.READ) && !known(AclOperation.ALL))
      Vector(AclOperation.READ.name)
    else Vector.empty
  }

  /** What has been answered by now. Where the leader of a partition can't be reached, or has just changed, the rest of
    * the answers count all the same. Any other failure is one of the whole cluster.
    */
  def answered(asked: Vector[(TopicPartition, CompletableFuture[FoundOffset])]): Offsets = {
    val (found, rest) = asked.partition { case (_, answer) => answer.isDone && !answer.isCompletedExceptionally }
    val offsets       = Offsets(found.iterator.map { case (tp, answer) => tp -> answer.join }.toMap)
    rest.foldLeft(offsets) { case (all, (tp, answer)) =>
      Try(answer.getNow(null)).failed.toOption.map(Diagnosis.root) match {
        case Some(_: UnknownTopicOrPartitionException) => all.copy(unknown = all.unknown.updated(tp, answer))
        case Some(_: TopicAuthorizationException)      => all.copy(denied = all.denied + tp.topic)
        case None | Some(_: RetriableException)        => all.copy(silent = all.silent.updated(tp, answer))
        case Some(other)                               => throw new CompletionException(other)
      }
    }
  }
}

private[kafka] object Futures {
  def future[A](kafka: KafkaFuture[A]): CompletableFuture[A] = kafka.toCompletionStage.toCompletableFuture

  def all[A](futures: Vector[CompletableFuture[A]]): CompletableFuture[Vector[A]] =
    CompletableFuture.allOf(futures: _*).thenApply(_ => futures.map(_.join))
}
