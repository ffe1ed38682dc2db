package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.{CompletableFuture, Executor}
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin._
import org.apache.kafka.common.{IsolationLevel, KafkaFuture, TopicPartition, Uuid}
import org.apache.kafka.common.errors.{TopicAuthorizationException, UnknownTopicOrPartitionException}

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.reconcile.{ClusterObservation, Extent, Question, TopicObservation}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The driver's one client of one cluster. It is opened at the first question, on a thread of `threads`, because
  * resolving addresses may block, and kept until it is closed. No call blocks the caller.
  *
  * @param timeout the limit of each question as a whole
  */
final class ClusterAdmin(
    val id: ClusterId,
    val connection: ConnectionSettings,
    open: (ClusterId, ConnectionSettings) => Admin,
    timeout: Duration,
    threads: Executor
) extends AutoCloseable {
  private val opened = new AtomicReference[CompletableFuture[Admin]]

  /** The client, opened anew where opening it failed before. */
  private def client: CompletableFuture[Admin] = opened.updateAndGet { before =>
    if (before != null && !before.isCompletedExceptionally) before
    else CompletableFuture.supplyAsync(() => open(id, connection), threads)
  }

  private val isolation: IsolationLevel =
    if (connection.properties.get("isolation.level").exists(_.trim.equalsIgnoreCase("read_committed")))
      IsolationLevel.READ_COMMITTED
    else IsolationLevel.READ_UNCOMMITTED

  /** What the cluster says of these topics. A failure is an answer too: the future never fails.
    *
    * Its own id is asked for last: if that is the known one, all before came from the known cluster, though another may
    * take its place at the same address at any moment.
    */
  def observe(topics: Set[String]): CompletableFuture[ClusterObservation] =
    within(client.thenCompose { admin =>
      describe(admin, topics)
        .thenCompose(found => extents(admin, found))
        .thenCompose { seen =>
          cluster(admin).thenApply[ClusterObservation](id => Answered(Option(id).filter(_.nonEmpty), seen))
        }
    }).exceptionally(failed("read the topics and offsets", "DESCRIBE on its topics"))

  /** The offsets of these points; nothing where there is no record that late, or nothing committed. */
  def resolve(questions: Set[Question]): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] = {
    val asked = questions.toVector
    val times = asked.collect { case here @ Question(_, OffsetPoint.Timestamp(ms)) => ms -> here }
    // Points that differ in what they fall back on share one question of their group.
    val groups  = asked.collect { case here @ Question(_, OffsetPoint.Committed(group, _)) => group -> here }
    val answers = times.groupMap(_._1)(_._2).toVector.map { case (ms, here) =>
      client.thenCompose(firstAt(_, ms, here))
    } ++
      groups.groupMap(_._1)(_._2).toVector.map { case (group, here) => client.thenCompose(committed(_, group, here)) }
    within(all(answers))
      .thenApply[Either[Failed, Map[Question, Option[Long]]]](found =>
        Right(found.foldLeft(Map.empty[Question, Option[Long]])(_ ++ _))
      )
      .exceptionally(e => Left(failed("resolve offsets", "DESCRIBE on its topics")(e)))
  }

  /** Ends every question under way, in the background: a client's close waits for its thread. */
  override def close(): Unit = {
    val client = opened.get
    if (client != null)
      client.whenCompleteAsync((admin, _) => if (admin != null) admin.close(Duration.ZERO), ClusterAdmin.closing)
    ()
  }

  private def within[A](future: CompletableFuture[A]): CompletableFuture[A] =
    future.copy().orTimeout(timeout.toMillis, java.util.concurrent.TimeUnit.MILLISECONDS)

  private def failed(doing: String, allow: String)(thrown: Throwable): Failed =
    Failed(KafkaFailures.root(thrown) match {
      case _: java.util.concurrent.TimeoutException =>
        KafkaFailures.of(
          id,
          doing,
          allow
        )(new org.apache.kafka.common.errors.TimeoutException(s"no answer within ${timeout.toMillis} ms"))
      case other => KafkaFailures.of(id, doing, allow)(other)
    })

  private def cluster(admin: Admin): CompletableFuture[String] =
    future(admin.describeCluster(limited(new DescribeClusterOptions)).clusterId)

  private type Found = Map[String, Option[TopicDescription]]

  private def describe(admin: Admin, topics: Set[String]): CompletableFuture[Found] = {
    val asked = admin.describeTopics(topics.asJava, limited(new DescribeTopicsOptions)).topicNameValues.asScala
    all(asked.toVector.map { case (name, answer) =>
      future(answer).handle[(String, Option[TopicDescription])]((found, thrown) =>
        (Option(found), Option(thrown).map(KafkaFailures.root)) match {
          case (Some(topic), _)                               => name -> Some(topic)
          case (_, Some(_: UnknownTopicOrPartitionException)) => name -> None
          case (_, Some(_: TopicAuthorizationException))      => throw refused(name)
          case (_, other) => throw new java.util.concurrent.CompletionException(other.orNull)
        }
      )
    }).thenApply(_.toMap)
  }

  private def extents(admin: Admin, found: Found): CompletableFuture[Map[String, TopicObservation]] = {
    val partitions =
      found.values.flatten.flatMap(t => t.partitions.asScala.map(p => new TopicPartition(t.name, p.partition))).toVector
    val earliest = offsets(admin, partitions, OffsetSpec.earliest)
    val latest   = offsets(admin, partitions, OffsetSpec.latest)
    earliest.thenCombine(
      latest,
      (from: Map[TopicPartition, Long], to: Map[TopicPartition, Long]) =>
        found.map {
          case (name, None)        => name -> TopicObservation.Absent
          case (name, Some(topic)) => name -> present(topic, from, to)
        }
    )
  }

  private def present(
      topic: TopicDescription,
      earliest: Map[TopicPartition, Long],
      latest: Map[TopicPartition, Long]
  ): TopicObservation = {
    val extents = for {
      info <- topic.partitions.asScala
      tp = new TopicPartition(topic.name, info.partition)
      from <- earliest.get(tp)
      to   <- latest.get(tp)
    } yield info.partition -> Extent(from, to)
    // Brokers before 2.8 give topics no id.
    TopicObservation.Present(Option(topic.topicId).filter(_ != Uuid.ZERO_UUID).map(_.toString), extents.toMap)
  }

  /** A partition whose topic is deleted meanwhile is left out: it is not known to be gone, nor what it holds. */
  private def offsets(
      admin: Admin,
      of: Vector[TopicPartition],
      spec: OffsetSpec
  ): CompletableFuture[Map[TopicPartition, Long]] = {
    val asked  = of.map(_ -> spec).toMap.asJava
    val result = admin.listOffsets(asked, limited(new ListOffsetsOptions(isolation)))
    all(of.map { tp =>
      future(result.partitionResult(tp)).handle[Option[(TopicPartition, Long)]]((found, thrown) =>
        (Option(found), Option(thrown).map(KafkaFailures.root)) match {
          case (Some(info), _)                                => Some(tp -> info.offset)
          case (_, Some(_: UnknownTopicOrPartitionException)) => None
          case (_, Some(_: TopicAuthorizationException))      => throw refused(tp.topic)
          case (_, other) => throw new java.util.concurrent.CompletionException(other.orNull)
        }
      )
    }).thenApply(_.flatten.toMap)
  }

  private def firstAt(admin: Admin, ms: Long, asked: Vector[Question]) =
    offsets(admin, asked.map(q => partition(q.id)).distinct, OffsetSpec.forTimestamp(ms))
      .thenApply[Map[Question, Option[Long]]](found =>
        asked.flatMap(q => found.get(partition(q.id)).map(o => q -> Some(o).filter(_ >= 0))).toMap
      )

  private def committed(admin: Admin, group: String, asked: Vector[Question]) =
    CommittedOffsets.of(admin, group, asked.map(q => partition(q.id)).distinct, timeout)
      .thenApply[Map[Question, Option[Long]]](found => asked.map(q => q -> found.get(partition(q.id))).toMap)

  // Kafka's own exception leaves out which topic it is about.
  private def refused(topic: String) =
    new java.util.concurrent.CompletionException(new TopicAuthorizationException(Set(topic).asJava))

  private def partition(id: PartitionId): TopicPartition = new TopicPartition(id.topic, id.partition)

  private def limited[A <: AbstractOptions[A]](options: A): A = options.timeoutMs(timeout.toMillis.toInt)

  private def future[A](kafka: KafkaFuture[A]): CompletableFuture[A] = kafka.toCompletionStage.toCompletableFuture

  private def all[A](futures: Vector[CompletableFuture[A]]): CompletableFuture[Vector[A]] =
    CompletableFuture.allOf(futures: _*).thenApply(_ => futures.map(_.join))
}

private object ClusterAdmin {
  // Not the threads that open clients: those may have ended when a client that was slow to open is there to be closed.
  val closing: Executor = { task =>
    val thread = new Thread(task, "dynamic-kafka-close")
    thread.setDaemon(true)
    thread.start()
  }
}
