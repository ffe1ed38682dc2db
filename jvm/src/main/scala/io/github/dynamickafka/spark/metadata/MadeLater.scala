package io.github.dynamickafka.spark.metadata

import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import io.github.dynamickafka.spark.KafkaMetadataService

/** A service of a user's class, which is made at the first call and not before. Constructors may hang too, for example
  * one that connects to a database. So they run like any call: on a thread of their own, with a time limit.
  *
  * One call at a time is made, except `close`.
  *
  * @param secrets what its errors may quote, and ours may not
  */
final private[metadata] class MadeLater(make: () => KafkaMetadataService, val secrets: Set[String] = Set.empty)
    extends Snapshots {
  private val made   = new AtomicReference(Option.empty[KafkaMetadataService])
  private val closed = new AtomicBoolean(false)

  /** The service itself. */
  private[metadata] def service: KafkaMetadataService = made.get.getOrElse {
    // Nobody would close a service that is made after the close.
    if (closed.get) throw new IllegalStateException("The metadata service is closed.")
    val now = make()
    made.set(Some(now))
    // Closed meanwhile, when there was nothing to close yet.
    if (closed.get) close()
    now
  }

  override def snapshot(): KafkaMetadataService = service match {
    case views: Snapshots => views.snapshot()
    case other            => other
  }

  override def close(): Unit = {
    closed.set(true)
    made.getAndSet(None).foreach(_.close())
  }
}
