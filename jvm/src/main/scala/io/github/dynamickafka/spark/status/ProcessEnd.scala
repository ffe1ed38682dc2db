package io.github.dynamickafka.spark.status

import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicReference

import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.util.ShutdownHookManager

/** Writes the last statuses when this process is asked to end: by SIGTERM, Ctrl-C or `System.exit`. A process that is
  * killed says nothing; its statuses get old.
  *
  * It holds a hook only while a status is kept, so that a query leaves nothing behind.
  */
final private[status] class ProcessEnd(hooks: ProcessEnd.Hooks) {
  private val kept           = new AtomicReference(Set.empty[StatusKeeper])
  private val hook: Runnable = () => leave()

  def add(keeper: StatusKeeper): Unit = synchronized {
    if (kept.getAndUpdate(_ + keeper).isEmpty) hooks.add(hook)
  }

  def remove(keeper: StatusKeeper): Unit = synchronized {
    val before = kept.getAndUpdate(_ - keeper)
    if (before.contains(keeper) && before.sizeIs == 1) hooks.remove(hook)
  }

  // Without the lock: a keeper that is done removes itself meanwhile. All of them share the time.
  private def leave(): Unit = {
    val until   = System.nanoTime + TimeUnit.MILLISECONDS.toNanos(ProcessEnd.Wait)
    val keepers = kept.get
    keepers.foreach(_.leave())
    keepers.foreach(_.awaitLeft(until))
  }
}

private[status] object ProcessEnd {

  /** How long the end of the process waits for all last statuses together, in milliseconds. */
  val Wait = 1500L

  /** What runs when the process ends. */
  trait Hooks {
    def add(hook: Runnable): Unit
    def remove(hook: Runnable): Unit
  }

  /** Hadoop runs its hooks one after the other, the highest priority first. So this one runs before Spark's, which makes the
    * queries fail, and before Hadoop's own, which closes the file systems.
    */
  private[status] object Hadoop extends Hooks {
    // Spark's is 30 above Hadoop's own.
    private val Priority = FileSystem.SHUTDOWN_HOOK_PRIORITY + 50
    // Hadoop interrupts a hook after that time. This hook has a shorter limit, so this is only for the worst case.
    private val Limit = 3L

    override def add(hook: Runnable): Unit =
      unlessEnding(ShutdownHookManager.get.addShutdownHook(hook, Priority, Limit, TimeUnit.SECONDS))

    override def remove(hook: Runnable): Unit = unlessEnding(ShutdownHookManager.get.removeShutdownHook(hook): Unit)

    // Once the process ends, Hadoop refuses both.
    private def unlessEnding(change: => Unit): Unit =
      try change
      catch { case _: IllegalStateException => () }
  }

  /** Of this JVM. */
  val ofThis: ProcessEnd = new ProcessEnd(Hadoop)
}
