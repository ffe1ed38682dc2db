package io.github.dynamickafka.spark.kafka.client

import java.time.Duration
import java.util.concurrent.{CompletableFuture, Executor}
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.threads.Daemons
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Keeps the driver's clients of one kind, one for each cluster. A cluster whose connection stays the same keeps its
  * client, and one whose connection changes gets a new one. The client of a cluster that is not asked any more is closed.
  *
  * @param name of the threads where clients are opened and, if they block, asked. Each piece of work has
  *             a thread of its own, so a cluster that hangs blocks no other. They stay few: a cluster has little work
  */
abstract private[kafka] class ClientPerCluster[C <: AutoCloseable](name: String) extends AutoCloseable {
  private val threads = Daemons.pool(name, Duration.ofSeconds(2))
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

  /** Asks the client of this cluster. Where there is none, the failure stands for its answer. */
  final protected def asking[A](cluster: ClusterId, ask: C => CompletableFuture[Either[Failed, A]])
      : CompletableFuture[Either[Failed, A]] =
    client(cluster).fold(failed => CompletableFuture.completedFuture(Left(failed)), ask)

  /** The client of this cluster, or the failure that stands for its answers. */
  final protected def client(cluster: ClusterId): Either[Failed, C] = clients.get.get(cluster).map(_._2)
    .toRight(Failed(Failure(Condition.ClusterUnreachable, say"The client of cluster $cluster was closed.")))

  /** Closes all clients. Work that is under way on a thread ends with its client. */
  override def close(): Unit = {
    clients.getAndSet(Map.empty).values.foreach(_._2.close())
    threads.shutdown()
  }
}

private[kafka] object ClientPerCluster {

  /** Closes clients, each on a thread of its own, since closing may take long. Not on the threads that open them: these
    * may have ended before a slow client is open.
    */
  val closing: Executor = Daemons.thread("dynamic-kafka-close")(_).start()
}
