package io.github.dynamickafka.spark.read.realtime

import java.util.ArrayDeque

import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.ids.ClusterId

/** Where the threads of a task's clusters hand over what they have polled. Each thread has room for one poll, and waits
  * until the task has taken it. The task takes polls in the order in which they came. So a cluster that brings much
  * delays another one by one poll at most.
  */
final private[realtime] class HandOver {
  // Guarded by this object's lock.
  private val waiting = new ArrayDeque[Polled]
  private var inHand  = Option.empty[ClusterId]
  private var over    = false

  /** Waits until there is room, and hands over.
    *
    * @return whether the task wants more
    * @throws InterruptedException if the thread is to end
    */
  def give(polled: Polled): Boolean = synchronized {
    while (!over && holds(polled.cluster)) wait()
    if (!over) {
      waiting.add(polled)
      notifyAll()
    }
    !over
  }

  private def holds(cluster: ClusterId): Boolean = waiting.stream.anyMatch(_.cluster == cluster)

  /** The clusters whose records the task holds, and has not all taken. */
  def busy: Set[ClusterId] = synchronized(waiting.iterator.asScala.map(_.cluster).toSet ++ inHand)

  /** What came first, once there is anything; none when the time is over, or if the task is woken.
    *
    * All that it gave before is taken.
    *
    * @param until by `System.nanoTime`
    * @param woken whether the task has something else to do
    */
  def take(until: Long, woken: () => Boolean): Option[Polled] = synchronized {
    inHand = None
    var left = until - System.nanoTime
    while (waiting.isEmpty && !over && left > 0 && !woken()) {
      // Rounded up, so that it does not spin within the last millisecond.
      wait(left / 1000000 + 1)
      left = until - System.nanoTime
    }
    val taken = Option(waiting.poll())
    inHand = taken.map(_.cluster)
    if (taken.isDefined) notifyAll()
    taken
  }

  /** Lets the task check whether it has something else to do. */
  def wake(): Unit = synchronized(notifyAll())

  /** Nobody takes any more. */
  def close(): Unit = synchronized {
    over = true
    waiting.clear()
    notifyAll()
  }
}
