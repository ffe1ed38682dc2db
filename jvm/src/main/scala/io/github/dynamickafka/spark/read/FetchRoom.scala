package io.github.dynamickafka.spark.read

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.read.FetchWindow.Place

/** The present [[FetchWindow]] of a task, shared by all clusters that it reads. */
final private[read] class FetchRoom(start: FetchWindow) {
  private var window = start

  /** The partitions to fetch from now on, beside those that are fetched already. */
  def open(): Vector[Place] = {
    val (next, places) = window.opened
    window = next
    places
  }

  /** Whether a partition of one of these clusters waits and had no place yet. */
  def untried(of: ClusterId => Boolean): Boolean = window.untried(place => of(place.cluster))

  /** These partitions are not fetched any more, and wait behind all others. */
  def without(places: Vector[Place]): Unit = window = window.without(places)

  /** Whether a borrowed consumer may keep so many bytes that it holds from tasks before. */
  def begin(held: Long): Boolean = changed(window.keeping(held))

  /** A partition is read to its end. While others wait, they get the room of what is held of it.
    *
    * @param bytes of its place
    * @param held what is held of it from tasks before
    * @param toHold what would be held of it from now on
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
