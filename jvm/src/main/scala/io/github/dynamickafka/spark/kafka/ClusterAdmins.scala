package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.{CompletableFuture, Executors, ExecutorService}
import java.util.concurrent.atomic.AtomicReference

import org.apache.kafka.clients.admin.Admin

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.{ClusterObservation, Question}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The driver's clients, one for each cluster. A cluster whose connection stays the same keeps its client; one whose
  * connection changes gets a new one; one that is not asked for any more is closed.
  *
  * Clusters are asked in parallel, so that asking takes as long as the slowest one.
  */
final class ClusterAdmins(open: (ClusterId, ConnectionSettings) => Admin, timeout: Duration, name: String)
    extends AutoCloseable {
  private val admins                   = new AtomicReference(Map.empty[ClusterId, ClusterAdmin])
  private val threads: ExecutorService = Executors.newCachedThreadPool { task =>
    val thread = new Thread(task, s"dynamic-kafka-connect-$name")
    thread.setDaemon(true)
    thread
  }

  /** Keeps clients for just these clusters. The one caller is the query's own thread. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = {
    val before = admins.get
    val now    = connections.map { case (id, connection) =>
      id -> before.get(id).filter(_.connection == connection).getOrElse(new ClusterAdmin(
        id,
        connection,
        open,
        timeout,
        threads
      ))
    }
    admins.set(now)
    before.foreach { case (id, admin) => if (!now.get(id).exists(_ eq admin)) admin.close() }
  }

  /** What each cluster says of its topics.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def observe(topics: Map[ClusterId, Set[String]]): Map[ClusterId, ClusterObservation] =
    await(for ((id, asked) <- topics; admin <- admins.get.get(id)) yield id -> admin.observe(asked))

  /** The offsets of these points, by question; a cluster that fails to answer now is told with its failure. */
  def resolve(
      questions: Map[ClusterId, Set[Question]]
  ): Map[ClusterId, Either[ClusterObservation.Failed, Map[Question, Option[Long]]]] =
    await(for ((id, asked) <- questions; admin <- admins.get.get(id)) yield id -> admin.resolve(asked))

  override def close(): Unit = {
    admins.getAndSet(Map.empty).values.foreach(_.close())
    threads.shutdown()
  }

  // Each future has its own time limit and answers with a value.
  private def await[A](futures: Map[ClusterId, CompletableFuture[A]]): Map[ClusterId, A] =
    futures.map { case (id, future) => id -> future.get() }
}
