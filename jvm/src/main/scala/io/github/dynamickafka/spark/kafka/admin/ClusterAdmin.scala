package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.concurrent.{CancellationException, CompletableFuture, Executor, TimeoutException => NoAnswer}
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import org.apache.kafka.clients.admin.{Admin, OffsetSpec}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.commits.{CommitOutcome, CommitRun}
import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.kafka.client.{ClientPerCluster, TimedWaits}
import io.github.dynamickafka.spark.kafka.consumer.{EpochPosition, LogProofs}
import io.github.dynamickafka.spark.kafka.failure.{Attempt, Diagnosis}
import io.github.dynamickafka.spark.offsets.{LogAgreement, OffsetPoint}
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The driver's admin client of one cluster. It is opened at the first question and kept. It is opened on one of
  * `threads`, because resolving addresses may block. No call blocks the caller.
  *
  * @param proofs asks what no admin client can ask; closed with this
  * @param timeout the limit of each question, and of a look, which asks several. The first of these may take most of
  *                it, if the client is new or brokers are busy
  * @param chosen see [[TopicProbe]]
  */
final private[kafka] class ClusterAdmin(
    id: ClusterId,
    connection: ConnectionSettings,
    open: (ClusterId, ConnectionSettings) => Admin,
    proofs: LogProofs,
    timeout: Duration,
    threads: Executor,
    chosen: String => Option[Set[Int]] = _ => None
) extends AutoCloseable {
  import ClusterAdmin.{Client, LastCommit, NotOpen}
  import Futures.all

  private val opened = new AtomicReference(NotOpen)
  private val closed = new AtomicBoolean(false)

  // Ends when nothing is left to commit.
  private val committing = new AtomicReference(CompletableFuture.completedFuture[Void](null))

  // Of the cluster that has answered the last look.
  private val kafkaId = new AtomicReference(Option.empty[String])

  // Whether the client has not answered the last question.
  private val unanswered = new AtomicBoolean(false)

  /** The client. If opening it failed, the next call tries again. */
  private def client: CompletableFuture[Client] = synchronized {
    if (opened.get.isCompletedExceptionally) opened.set(opening)
    opened.get
  }

  private def opening: CompletableFuture[Client] =
    CompletableFuture.supplyAsync(
      () => {
        // The client may have been closed while it waited for a thread.
        if (closed.get) throw new CancellationException("closed before it was opened")
        val admin = open(id, connection)
        val calls = new AdminCalls(admin, connection.committedOnly, timeout)
        Client(admin, calls, new TopicProbe(calls, ClusterAdmin.pause, chosen))
      },
      threads
    )

  /** What the cluster reports of these topics. A failure is an answer too: the future never fails.
    *
    * @param waitMode how long a part of the cluster that does not answer is waited for
    */
  def observe(
      topics: Set[String],
      waitMode: WaitMode = WaitMode.UntilAnswered
  ): CompletableFuture[ClusterObservation] = {
    val over  = new AtomicBoolean(false)
    val waits = new TimedWaits(waitMode, timeout)
    val look  = refreshing(
      topics,
      limited(client).thenCompose(it => identified(it).thenCompose(_ => it.look.at(topics, () => over.get, waits)))
    )
    look.whenComplete { (_, _) =>
      over.set(true)
      waits.end()
    }
    look.thenApply[ClusterObservation] { seen =>
      // If the id has changed, it may have changed during this look: nobody knows which cluster answered what.
      same(kafkaId.getAndSet(seen.kafkaId), seen.kafkaId)
      answered(seen)
    }.exceptionally(failed("read the topics and offsets"))
  }

  /** The offsets of these points. None if no record is at or after the time, or nothing is committed. */
  def resolve(questions: Set[Question]): CompletableFuture[Either[Failed, Question.Answers]] = {
    // Points that differ only in `otherwise` share one question about their group.
    val answers = questions.toVector.groupBy(_.point match {
      case OffsetPoint.Committed(group, _) => group
      case _: LogAgreement                 => LogAgreement
      case other                           => other
    }).valuesIterator.map(resolved).toVector
    refreshing(questions.map(_.id.topic), limited(recognised(all(answers))))
      .thenApply[Either[Failed, Question.Answers]](found => Right(answered(found.flatten.toMap)))
      .exceptionally(e => Left(failed("resolve offsets")(e)))
  }

  /** @param asked about one point */
  private def resolved(asked: Vector[Question]): CompletableFuture[Question.Answers] = {
    val partitions = asked.map(q => partition(q.id)).distinct
    val found      = asked.head.point match {
      case _: LogAgreement =>
        val positions = asked.collect { case Question(id, at: LogAgreement) =>
          partition(id) -> EpochPosition(at.position, at.epoch, Some(at.leader))
        }
        // A leader that does not answer now leaves its questions open.
        proofs.of(positions.toMap, kafkaId.get)
      case OffsetPoint.Committed(group, _) =>
        client.thenCompose(it => CommittedOffsets.of(it.admin, group, partitions, timeout, ClusterAdmin.pause))
      case OffsetPoint.Timestamp(ms) =>
        // Uncommitted records count too: else Kafka finds none behind an open transaction, however early its time is.
        client.thenCompose(_.calls.offsets(
          partitions,
          OffsetSpec.forTimestamp(ms),
          new CompletableFuture,
          written = true
        ))
          .thenCompose(_.whole)
          .thenApply[Map[TopicPartition, Option[Long]]](_.transform((_, at) => Some(at.offset).filter(_ >= 0)))
      // Any other point is known without a question.
      case _ => CompletableFuture.completedFuture(Map.empty[TopicPartition, Option[Long]])
    }
    found.thenApply(offsets => asked.flatMap(q => offsets.get(partition(q.id)).map(q -> _)).toMap)
  }

  // Before the first look nobody knows which cluster answers: the address may lead to another one until the look ends.
  private def identified(client: Client): CompletableFuture[Void] =
    if (kafkaId.get.isDefined) CompletableFuture.completedFuture(null)
    else client.calls.clusterId.thenAccept(id => kafkaId.compareAndSet(None, id): Unit)

  // Another Kafka cluster may have taken over the address since the look: its offsets mean nothing here.
  private def recognised[A](answer: CompletableFuture[A]): CompletableFuture[A] = {
    val meant = kafkaId.get
    if (meant.isEmpty) answer
    else answer.thenCompose[A](found =>
      client.thenCompose(_.calls.clusterId).thenApply { now =>
        same(meant, now)
        found
      }
    )
  }

  private def same(meant: Option[String], now: Option[String]): Unit =
    for (known <- meant; other <- now if other != known) throw ClusterObservation.changed(id, known, other).exception

  /** Commits what the run gives, one commit after another, until it gives nothing. The future never fails. */
  def commit(run: CommitRun): CompletableFuture[Void] = {
    val group = new GroupCommit(id, connection.properties.getOrElse("group.id", ""), timeout)
    val ended = commitNext(run, group)
    committing.set(ended)
    ended
  }

  private def commitNext(run: CommitRun, group: GroupCommit): CompletableFuture[Void] =
    run.next().fold(CompletableFuture.completedFuture[Void](null)) { positions =>
      limited(client.thenCompose(still(run, _)).thenCompose[CommitOutcome](it => group.of(it.admin, positions)))
        .exceptionally(group.failed(positions.keySet, _))
        .thenCompose[Void] {
          // A closed client fails whatever is under way.
          case _: CommitOutcome.Refused if closed.get =>
            run.done(CommitOutcome.Closed)
            CompletableFuture.completedFuture[Void](null)
          case outcome =>
            run.done(outcome)
            commitNext(run, group)
        }
    }

  // Another Kafka cluster may have a group of the same name, and topics: the positions mean nothing there.
  private def still(run: CommitRun, client: Client): CompletableFuture[Client] =
    if (run.kafkaId.isEmpty) CompletableFuture.completedFuture(client)
    else client.calls.clusterId.thenApply { now =>
      same(run.kafkaId, now)
      client
    }

  /** Ends every question under way, in the background: a client's close waits for its thread. Only the last positions are
    * still committed.
    */
  override def close(): Unit = synchronized {
    closed.set(true)
    proofs.close()
    committing.get.copy().completeOnTimeout(null, LastCommit, MILLISECONDS)
      .whenComplete((_, _) => closeLater(opened.get)): Unit
  }

  private def closeLater(client: CompletableFuture[Client]): Unit =
    client.thenAcceptAsync(_.admin.close(Duration.ZERO), ClientPerCluster.closing): Unit

  private def limited[A](answer: CompletableFuture[A]): CompletableFuture[A] =
    answer.copy().orTimeout(timeout.toMillis, MILLISECONDS)

  /** As long as there is no answer, has the client look for other brokers than the one that hangs, after each third of
    * the limit. Requests end early enough for that (`ClientProperties.forAdmin`).
    */
  private def refreshing[A](topics: Set[String], answer: CompletableFuture[A]): CompletableFuture[A] = {
    answer.copy().orTimeout(timeout.toMillis / 3, MILLISECONDS).whenComplete((_, _) =>
      if (!answer.isDone && !closed.get) {
        opened.get.thenAccept(_.look.askWhoLeads(topics))
        refreshing(topics, answer): Unit
      }
    ): Unit
    answer
  }

  private def answered[A](answer: A): A = {
    unanswered.set(false)
    answer
  }

  private def failed(doing: String)(thrown: Throwable): Failed = {
    val cause = Diagnosis.root(thrown) match {
      // Kafka's own text names what its client was waiting for last, which helps nobody.
      case _: TimeoutException => new NoAnswer
      case other               => other
    }
    val failure = Diagnosis.failure(Attempt(id, doing, operation = "DESCRIBE"), timeout)(cause)
    if (failure.refusal && failure.condition != Condition.AuthenticationFailed) answered(())
    else if (unanswered.getAndSet(true)) giveUp()
    Failed(failure)
  }

  // A client whose thread has died, because the driver was out of memory for example, never answers again and reports
  // nothing. One whose credentials are refused never reads them again: key stores, key tabs, and what Kafka's own providers
  // look up are read when a client is opened. So after two questions in a row without an answer the next one opens a new client. Not after a single one: a
  // client that was only slow is connected by then.
  private def giveUp(): Unit = {
    val client = opened.get
    unanswered.set(false)
    if (client.isDone && opened.compareAndSet(client, NotOpen)) closeLater(client)
  }

  private def partition(id: PartitionId): TopicPartition = new TopicPartition(id.topic, id.partition)
}

private object ClusterAdmin {
  // How long a client that is closed still commits, in milliseconds.
  val LastCommit = 2000L

  final case class Client(admin: Admin, calls: ClusterCalls, look: TopicProbe)

  // The next question opens it.
  val NotOpen: CompletableFuture[Client] = CompletableFuture.failedFuture(new CancellationException("not open"))

  val pause: () => CompletableFuture[Void] =
    () => new CompletableFuture[Void]().completeOnTimeout(null, 200, MILLISECONDS)
}
