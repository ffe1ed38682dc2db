package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.{CompletableFuture, Executor, ExecutorService, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Keeps the driver's clients of one kind, one for each cluster. A cluster whose connection stays the same keeps its
  * client, and one whose connection changes gets a new one. The client of a cluster that is not asked any more is closed.
  *
  * Each kind extends this class by what it asks its clients.
  *
  * @param threads where clients are opened and, if they block, asked; closed with the clients
  */
abstract private[kafka] class ClientPerCluster[C <: AutoCloseable](threads: ExecutorService) extends AutoCloseable {
  private val clients = new AtomicReference(Map.empty[ClusterId, (ConnectionSettings, C)])

  /** A new client, which opens its connection when it is asked first. */
  protected def make(cluster: ClusterId, connection: ConnectionSettings, threads: Executor): C

  /** Keeps clients for exactly these clusters. One thread calls it at a time. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = {
    val before = clients.get
    val now    = connections.map { case (id, connection) =>
      id -> before.get(id).filter(_._1 == connection).getOrElse(connection -> make(id, connection, threads))
    }
    clients.set(now)
    before.foreach { case (id, kept) => if (!now.get(id).exists(_ eq kept)) kept._2.close() }
  }

  /** The client of this cluster, or the failure that stands for its answers. */
  final protected def client(cluster: ClusterId): Either[Failed, C] =
    clients.get.get(cluster).map(_._2).toRight(ClientPerCluster.closed(cluster))

  /** Asks all these clusters at once, and waits for each answer. So asking takes as long as the slowest cluster
    * (`make bench-quick ARGS=slow`). A cluster that has no client is left out.
    *
    * @param within how long a cluster is waited for, where that is shorter than the limit of the question
    * @param ask a future that has a time limit of its own and never fails: a failure is an answer
    * @throws InterruptedException if the query is stopped meanwhile
    */
  final protected def askAll[Q, A](questions: Map[ClusterId, Q], within: ClusterId => Option[Duration])(
      ask: (C, Q) => CompletableFuture[Either[Failed, A]]
  ): Map[ClusterId, Either[Failed, A]] = {
    val answers = for ((id, asked) <- questions; one <- client(id).toOption) yield {
      val answer = ask(one, asked)
      id -> within(id).fold(answer)(limit =>
        answer.copy().completeOnTimeout(Left(ClientPerCluster.late(id)), limit.toMillis, TimeUnit.MILLISECONDS)
      )
    }
    answers.map { case (id, answer) => id -> answer.get() }
  }

  /** Closes all clients. Work that is under way on a thread ends with its client. */
  override def close(): Unit = {
    clients.getAndSet(Map.empty).values.foreach(_._2.close())
    threads.shutdown()
  }
}

private object ClientPerCluster {
  def late(cluster: ClusterId): Failed =
    Failed(Failure(Condition.ClusterUnreachable, say"Cluster $cluster takes too long to answer."))

  def closed(cluster: ClusterId): Failed =
    Failed(Failure(Condition.ClusterUnreachable, say"The client of cluster $cluster was closed."))
}
