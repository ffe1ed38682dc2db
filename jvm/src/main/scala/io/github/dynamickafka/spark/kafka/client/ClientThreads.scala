package io.github.dynamickafka.spark.kafka.client

import java.util.concurrent.{Executor, ExecutorService, SynchronousQueue, ThreadPoolExecutor, TimeUnit}

/** The driver's own threads for Kafka's clients. All are daemons, and end soon after their last work. */
private[kafka] object ClientThreads {

  /** As many threads as there is work at a time. One cluster never has much, and its work may hang: to look up a host, or to
    * ask for a token, may take long. No other cluster's work waits for that.
    */
  def unlimited(name: String): ExecutorService =
    new ThreadPoolExecutor(0, Int.MaxValue, IdleSeconds, TimeUnit.SECONDS, new SynchronousQueue, daemon(_, name))

  /** Closes clients, each on a thread of its own. Not on the threads that open them: those may have ended before a client
    * that was slow to open can be closed.
    */
  val closing: Executor = task => daemon(task, "dynamic-kafka-close").start()

  private def daemon(task: Runnable, name: String): Thread = {
    val thread = new Thread(task, name)
    thread.setDaemon(true)
    thread
  }

  private val IdleSeconds = 2L
}
