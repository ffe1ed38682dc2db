package io.github.dynamickafka.spark.cli

import java.time.Duration

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.admin.{AdminFactory, ClusterAdmins}
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Looks at clusters as a query would, all at once, each within the time limit.
  *
  * @param connections of all clusters that may be asked
  */
final private[cli] class ClusterProbes(
    connections: Map[ClusterId, ConnectionSettings],
    timeout: Duration,
    replies: Replies
) extends AutoCloseable {
  private val clients = new AdminFactory(ClusterProbes.Prefix, timeout)
  private val admins  = new ClusterAdmins(clients.open, clients.consumer, timeout, "cli")

  admins.keep(connections)

  /** What each cluster answers of these topics. */
  def at(topics: Map[ClusterId, Set[String]]): Map[ClusterId, ClusterObservation] = {
    val progress = replies.progress("clusters", topics.size)
    topics.map { case (id, names) =>
      id -> admins.observing(id, names, WaitMode.UntilAnswered).whenComplete((_, _) => progress.step())
    }.map { case (id, answer) => id -> answer.get() }
  }

  /** The offsets of these points. */
  def resolve(
      questions: Map[ClusterId, Set[Question]]
  ): Map[ClusterId, Either[Failed, Map[Question, Option[Long]]]] = questions.map {
    case (id, asked) => id -> admins.resolving(id, asked)
  }.map { case (id, answer) => id -> answer.get() }

  override def close(): Unit = admins.close()
}

private[cli] object ClusterProbes {
  // The prefix of client ids, and of group ids that never commit.
  val Prefix = "dynamic-kafka-cli"
}
