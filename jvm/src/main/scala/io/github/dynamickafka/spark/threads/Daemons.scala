package io.github.dynamickafka.spark.threads

import java.time.Duration
import java.util.concurrent.{ExecutorService, ScheduledExecutorService, ScheduledThreadPoolExecutor}
import java.util.concurrent.{SynchronousQueue, ThreadPoolExecutor, TimeUnit}

/** Threads of the source. None keeps its process alive, and none exists before its first work. */
private[spark] object Daemons {

  /** One thread, not started yet. */
  def thread(name: String)(body: Runnable): Thread = {
    val thread = new Thread(body, name)
    thread.setDaemon(true)
    thread
  }

  /** One thread, which begins work at given times. */
  def timer(name: String): ScheduledExecutorService = new ScheduledThreadPoolExecutor(1, thread(name)(_))

  /** As many threads as there is work at a time.
    *
    * @param idle how long a thread waits for further work before it ends
    * @param ended called by each thread, at its end
    */
  def pool(name: String, idle: Duration, ended: () => Unit = () => ()): ExecutorService = {
    def body(work: Runnable): Runnable = () =>
      try work.run()
      finally ended()
    val queue = new SynchronousQueue[Runnable]
    new ThreadPoolExecutor(
      0,
      Int.MaxValue,
      idle.toMillis,
      TimeUnit.MILLISECONDS,
      queue,
      work => thread(name)(body(work))
    )
  }
}
