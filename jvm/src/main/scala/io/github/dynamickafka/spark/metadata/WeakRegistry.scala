package io.github.dynamickafka.spark.metadata

import java.lang.ref.WeakReference
import java.util.UUID

/** Objects by handle, held weakly: an entry disappears when nobody else holds its object. The same object always gets
  * the same handle and the same companion value. The companion must not refer to the object.
  *
  * Handles are random, so that a handle from before a restart of the driver never names another object.
  */
final private class WeakRegistry[A <: AnyRef, B](companion: () => B) {
  private case class Entry(reference: WeakReference[A], companion: B)

  private var entries = Map.empty[String, Entry]

  def register(value: A): String = synchronized {
    entries = entries.filter { case (_, entry) => entry.reference.get != null }
    val known = entries.collectFirst { case (handle, entry) if entry.reference.get eq value => handle }
    known.getOrElse {
      val handle = UUID.randomUUID().toString
      entries += handle -> Entry(new WeakReference(value), companion())
      handle
    }
  }

  def find(handle: String): Option[(A, B)] = synchronized {
    for (entry <- entries.get(handle); value <- Option(entry.reference.get)) yield value -> entry.companion
  }
}
