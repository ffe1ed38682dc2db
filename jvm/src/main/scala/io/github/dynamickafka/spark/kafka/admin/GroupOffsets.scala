package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.concurrent.{CompletableFuture, CompletionException}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.{
  Admin,
  AlterConsumerGroupOffsetsOptions,
  ListConsumerGroupOffsetsOptions,
  ListConsumerGroupOffsetsSpec
}
import org.apache.kafka.clients.consumer.OffsetAndMetadata
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.{
  GroupAuthorizationException,
  GroupIdNotFoundException,
  TopicAuthorizationException,
  UnknownMemberIdException,
  UnknownTopicOrPartitionException,
  UnstableOffsetCommitException
}

import io.github.dynamickafka.spark.commits.CommitOutcome
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.failure.{Attempt, Diagnosis}

/** The offsets that a consumer group has committed on one cluster. */
private[kafka] object CommittedOffsets {

  /** The committed offsets of these partitions; none where nothing is committed. A transaction that commits offsets of the
    * group is waited for.
    *
    * @param pause ends when it is time to ask again
    */
  def of(
      admin: Admin,
      group: String,
      partitions: Vector[TopicPartition],
      timeout: Duration,
      pause: () => CompletableFuture[Void]
  ): CompletableFuture[Map[TopicPartition, Option[Long]]] = {
    val end = System.nanoTime + timeout.toNanos
    // A partition is left out if it was refused, or if such a transaction is open: the client drops the partition's error.
    def next(): CompletableFuture[Map[TopicPartition, Option[Long]]] =
      asked(admin, group, partitions, timeout, stable = true).thenCompose { found =>
        val left = partitions.filterNot(found.contains)
        if (left.isEmpty) CompletableFuture.completedFuture(found)
        else asked(admin, group, left, timeout, stable = false).thenCompose { open =>
          val refused = left.filterNot(open.contains).map(_.topic).toSet
          if (refused.nonEmpty) CompletableFuture.failedFuture(new TopicAuthorizationException(refused.asJava))
          else if (System.nanoTime >= end) CompletableFuture.failedFuture(new UnstableOffsetCommitException(Open))
          else pause().thenCompose(_ => next())
        }
      }
    next()
  }

  private val Open = "A transaction that commits offsets of the group is still open."

  private def asked(
      admin: Admin,
      group: String,
      partitions: Vector[TopicPartition],
      timeout: Duration,
      stable: Boolean
  ): CompletableFuture[Map[TopicPartition, Option[Long]]] = {
    val asked   = Map(group -> new ListConsumerGroupOffsetsSpec().topicPartitions(partitions.asJava)).asJava
    val options =
      new ListConsumerGroupOffsetsOptions().requireStable(stable).timeoutMs(AdminCalls.millis(timeout))
    val answer = admin.listConsumerGroupOffsets(asked, options).partitionsToOffsetAndMetadata(group)
    Futures.future(answer).handle((found, thrown) =>
      Option(thrown).map(Diagnosis.root) match {
        // Null means that nothing is committed.
        case None => found.asScala.toMap.transform((_, committed) => Option(committed).map(_.offset))
        case Some(_: GroupIdNotFoundException) => partitions.map(_ -> None).toMap
        // Only some brokers name the group in their text.
        case Some(refused: GroupAuthorizationException) =>
          throw new CompletionException(new GroupAuthorizationException(refused.getMessage, group))
        case Some(other) => throw new CompletionException(other)
      }
    )
  }

}

/** Commits positions for a consumer group that has no members.
  *
  * It uses the admin client that asks the cluster anyway. The request is that of a consumer which assigns its own
  * partitions, and needs neither a thread nor connections of its own. It carries no text, and no leader epoch, because
  * the driver does not see the records.
  *
  * @param timeout of one commit
  */
final private[kafka] class GroupCommit(cluster: ClusterId, group: String, timeout: Duration) {

  /** The future never fails. */
  def of(admin: Admin, positions: Map[TopicPartition, Long]): CompletableFuture[CommitOutcome] = {
    val offsets = positions.map { case (partition, next) => partition -> new OffsetAndMetadata(next) }.asJava
    val options = new AlterConsumerGroupOffsetsOptions().timeoutMs(AdminCalls.millis(timeout))
    val answer  = admin.alterConsumerGroupOffsets(group, offsets, options)
    val parts   = positions.keys.toVector.map { partition =>
      Futures.future(answer.partitionResult(partition))
        .handle[Option[(TopicPartition, Throwable)]]((_, thrown) => Option(thrown).map(partition -> _))
    }
    Futures.all(parts).thenApply(found => outcome(found.flatten))
  }

  /** The outcome if a commit of these partitions failed as a whole. */
  def failed(partitions: Set[TopicPartition], thrown: Throwable): CommitOutcome =
    CommitOutcome.Refused(partitions, failure(partitions.map(_.topic), thrown))

  private def outcome(failures: Vector[(TopicPartition, Throwable)]): CommitOutcome = {
    // Nobody asks how far a topic that does not exist is read.
    val refused = failures.filterNot { case (_, thrown) =>
      Diagnosis.root(thrown).isInstanceOf[UnknownTopicOrPartitionException]
    }.toMap
    refused.headOption.fold[CommitOutcome](CommitOutcome.Committed) { case (_, thrown) =>
      failed(refused.keySet, thrown)
    }
  }

  private def failure(topics: Iterable[String], thrown: Throwable): Failure = {
    val what = Diagnosis.root(thrown) match {
      case e: GroupAuthorizationException => Failure(
          Condition.NotAuthorized,
          say"Cluster $cluster does not allow committing positions of group $group (${Diagnosis.text(e)}). Allow READ on " +
            s"group $group."
        )
      case _: UnknownMemberIdException => Failure(
          Condition.InvalidOption,
          say"Cluster $cluster refuses positions of group $group: an application is an active member of this group. Choose " +
            "another kafka.group.id."
        )
      case known: DynamicKafkaException => Failure(known.condition, known.wording)
      case other                        =>
        val doing = s"publish the positions of group $group"
        val found = Diagnosis.of(Attempt(cluster, doing, operation = "READ", topics), other)
        Failure(found.condition, found.happened + found.remedy.fold("")(remedy => s" $remedy."))
    }
    what.copy(wording = say"${what.wording} The query continues. Tools that read this group show older positions.")
  }
}
