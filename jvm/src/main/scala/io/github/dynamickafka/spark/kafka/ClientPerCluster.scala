package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.{
  BlockingQueue,
  CompletableFuture,
  Executor,
  ExecutorService,
  LinkedBlockingQueue,
  SynchronousQueue,
  ThreadPoolExecutor,
  TimeUnit
}
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The driver's clients of one kind, one for each cluster. A cluster whose connection stays the same keeps its client;
  * one whose connection changes gets a new one; one that is not asked for any more is closed.
  *
  * Clusters are asked in parallel, so that asking takes as long as the slowest one (`make bench-quick ARGS=slow`).
  *
  * @param threadName of the threads where clients are opened and, if they block, asked
  * @param most how many of these threads there are at a time
  * @param make a client that is not open yet
  */
final private[kafka] class ClientPerCluster[C <: AutoCloseable](threadName: String, most: Int = Int.MaxValue)(
    make: (ClusterId, ConnectionSettings, Executor) => C
) extends AutoCloseable {
  private val clients                  = new AtomicReference(Map.empty[ClusterId, (ConnectionSettings, C)])
  private val threads: ExecutorService = {
    val queue: BlockingQueue[Runnable] =
      if (most == Int.MaxValue) new SynchronousQueue[Runnable] else new LinkedBlockingQueue[Runnable]
    val core = if (most == Int.MaxValue) 0 else most
    val pool = new ThreadPoolExecutor(core, most, 2, TimeUnit.SECONDS, queue, daemon _)
    pool.allowCoreThreadTimeOut(true)
    pool
  }

  private def daemon(task: Runnable): Thread = {
    val thread = new Thread(task, threadName)
    thread.setDaemon(true)
    thread
  }

  /** Keeps clients for just these clusters. One thread calls it at a time. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = {
    val before = clients.get
    val now    = connections.map { case (id, connection) =>
      id -> before.get(id).filter(_._1 == connection).getOrElse(connection -> make(id, connection, threads))
    }
    clients.set(now)
    before.foreach { case (id, kept) => if (!now.get(id).exists(_ eq kept)) kept._2.close() }
  }

  /** Asks all clusters that have a client at once, and waits for each answer.
    *
    * @param within how long a cluster is waited for, where that is shorter than the limit of the question
    * @param late what stands for the answer of one that took longer
    * @param ask a future that has a time limit of its own and answers with a value, failures included
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def ask[Q, A](questions: Map[ClusterId, Q], within: ClusterId => Option[Duration], late: ClusterId => A)(
      ask: (C, Q) => CompletableFuture[A]
  ): Map[ClusterId, A] = {
    val known   = clients.get
    val answers = for ((id, asked) <- questions; (_, client) <- known.get(id)) yield {
      val answer = ask(client, asked)
      id -> within(id).fold(answer)(limit =>
        answer.copy().completeOnTimeout(late(id), limit.toMillis, TimeUnit.MILLISECONDS)
      )
    }
    answers.map { case (id, answer) => id -> answer.get() }
  }

  /** Asks one cluster; where it has no client, this is the answer. */
  def askOne[A](cluster: ClusterId)(ask: C => CompletableFuture[A], without: => A): CompletableFuture[A] =
    clients.get.get(cluster).fold(CompletableFuture.completedFuture(without)) { case (_, client) => ask(client) }

  /** Closes all clients. What is under way on a thread ends with its client. */
  override def close(): Unit = {
    clients.getAndSet(Map.empty).values.foreach(_._2.close())
    threads.shutdown()
  }
}
