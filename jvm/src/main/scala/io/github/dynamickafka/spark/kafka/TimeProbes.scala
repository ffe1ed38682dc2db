package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.{Executors, ExecutorService}
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.plan.{Glance, LookAhead}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Looks at the times of the next records, with one consumer for each cluster that has some: kept as long as its
  * connection stays the same, closed when nobody asks for it any more. Clusters are looked at in parallel.
  *
  * @param prefix of the consumers' group ids, under which nothing is committed
  * @param name of the query, for the threads' names
  */
final class TimeProbes(factory: ConsumerFactory, prefix: String, timeout: Duration, name: String)
    extends AutoCloseable {
  private val probes                   = new AtomicReference(Map.empty[ClusterId, TimeProbe])
  private val threads: ExecutorService = Executors.newCachedThreadPool { task =>
    val thread = new Thread(task, s"dynamic-kafka-times-$name")
    thread.setDaemon(true)
    thread
  }

  /** Keeps what is open of these clusters alone. The one caller is the query's own thread. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = {
    val before = probes.get
    val now    = connections.map { case (id, connection) =>
      val key = ConsumerKey(id, TimeProbes.small(connection), prefix)
      id -> before.get(id).filter(_.key == key).getOrElse(
        new TimeProbe(key, factory, timeout, threads, () => System.nanoTime())
      )
    }
    probes.set(now)
    before.foreach { case (id, probe) => if (!now.get(id).exists(_ eq probe)) probe.close() }
  }

  /** What each cluster has behind these positions, or why it does not tell.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def look(from: Map[PartitionId, Glance]): Map[ClusterId, Either[Failed, Map[PartitionId, LookAhead]]] = {
    val looks = for {
      (id, here) <- from.groupBy(_._1.cluster)
      probe      <- probes.get.get(id)
    } yield id -> probe.look(here)
    looks.map { case (id, look) => id -> look.get() }
  }

  override def close(): Unit = {
    probes.getAndSet(Map.empty).values.foreach(_.close())
    threads.shutdownNow(): Unit
  }
}

private object TimeProbes {

  // A little of many partitions, at once. A broker gives whole batches of records, and passes over a partition whose
  // next one is larger than this, unless it is the first: so not less than what producers make of a batch.
  private val Sizes = Map(
    "max.partition.fetch.bytes" -> (1 << 16).toString,
    "fetch.max.bytes"           -> (1 << 23).toString,
    "fetch.min.bytes"           -> "1",
    "max.poll.records"          -> Int.MaxValue.toString
  )

  def small(connection: ConnectionSettings): ConnectionSettings = new ConnectionSettings(connection.properties ++ Sizes)
}
