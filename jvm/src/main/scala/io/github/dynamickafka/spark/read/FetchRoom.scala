package io.github.dynamickafka.spark.read

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

  /** Whether what is fetched has made room: see [[FetchWindow.requeued]]. */
  def requeue(standing: Vector[Place], advanced: Boolean): Boolean = changed(window.requeued(standing, advanced))

  /** Whether a borrowed consumer may keep so many bytes that it has from tasks before. */
  def begin(bytes: Long): Boolean = changed(window.keeping(bytes))

  /** A partition is read to its end. While others wait, they get the room of what is kept of it.
    *
    * @param place its bytes while it was fetched
    * @param before the bytes that were kept of it from tasks before
    * @param after those that would be kept of it from now on
    * @return whether it is kept
    */
  def end(place: Long, before: Long, after: Long): Boolean = {
    window = window.ended(place, before)
    window.waiting.isEmpty && changed(window.keeping(after))
  }

  private def changed(to: Option[FetchWindow]): Boolean = {
    to.foreach(next => window = next)
    to.isDefined
  }
}
