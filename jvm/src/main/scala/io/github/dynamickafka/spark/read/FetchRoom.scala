package io.github.dynamickafka.spark.read

import io.github.dynamickafka.spark.read.FetchWindow.Place

/** What a task may fetch and keep, shared by all clusters that it reads: its window as it stands. */
final private[read] class FetchRoom(start: FetchWindow) {
  private var window = start

  /** The partitions to fetch from now on, beside those before. */
  def open(): Vector[Place] = {
    val (next, places) = window.opened
    window = next
    places
  }

  /** Whether a borrowed consumer may keep so many bytes that it holds from before; if not, it lets go of them. */
  def begin(held: Long): Boolean = changed(window.keeping(held))

  /** A partition is read to its end. Where others wait, what is held of it goes in their favour.
    *
    * @param bytes of its place
    * @param held what is kept of it from before
    * @param toHold what would be kept of it from now on
    * @return whether it is kept
    */
  def end(bytes: Long, held: Long, toHold: Long): Boolean = {
    window = window.ended(bytes, held)
    window.waiting.isEmpty && changed(window.keeping(toHold))
  }

  private def changed(to: Option[FetchWindow]): Boolean = {
    to.foreach(next => window = next)
    to.isDefined
  }
}
