package io.github.dynamickafka.spark.kafka.client

import java.util.concurrent.{
  BlockingQueue,
  Executor,
  ExecutorService,
  LinkedBlockingQueue,
  SynchronousQueue,
  ThreadPoolExecutor,
  TimeUnit
}

/** The driver's own threads for Kafka's clients. All are daemons, and end soon after their last work. */
private[kafka] object ClientThreads {

  /** As many threads as there is work at a time. */
  def unlimited(name: String): ExecutorService = pool(name, core = 0, most = Int.MaxValue, new SynchronousQueue)

  /** So many threads at most; further work waits for one of them. */
  def limited(name: String, most: Int): ExecutorService = pool(name, core = most, most, new LinkedBlockingQueue)

  /** Closes clients, each on a thread of its own. Not on the threads that open them: those may have ended before a client
    * that was slow to open can be closed.
    */
  val closing: Executor = task => daemon(task, "dynamic-kafka-close").start()

  private def pool(name: String, core: Int, most: Int, queue: BlockingQueue[Runnable]): ExecutorService = {
    val threads = new ThreadPoolExecutor(core, most, IdleSeconds, TimeUnit.SECONDS, queue, daemon(_, name))
    threads.allowCoreThreadTimeOut(true)
    threads
  }

  private def daemon(task: Runnable, name: String): Thread = {
    val thread = new Thread(task, name)
    thread.setDaemon(true)
    thread
  }

  private val IdleSeconds = 2L
}
