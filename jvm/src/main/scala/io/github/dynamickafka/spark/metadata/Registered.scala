package io.github.dynamickafka.spark.metadata

import java.util.concurrent.locks.ReentrantLock

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStreamSubscriber}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Named, Say}

/** Passes a user's object to a source, though options can only be strings. The object is registered in this driver, and
  * the option's value names it as `registered:<handle>`.
  *
  * The registry holds objects weakly. The builder must hold the object until `load()` has resolved the handle. After
  * that the table holds it, and every query that reads the table.
  */
object Registered {
  val Prefix = "registered:"

  private val services    = new WeakRegistry[KafkaMetadataService, ReentrantLock](() => new ReentrantLock(true))
  private val subscribers = new WeakRegistry[KafkaStreamSubscriber, Unit](() => ())

  /** The value of the option `metadataService` for this object: always the same value for the same object. */
  def service(service: KafkaMetadataService): String = Prefix + services.register(service)

  /** The value of the option `streamSubscriber` for this object. */
  def subscriber(subscriber: KafkaStreamSubscriber): String = Prefix + subscribers.register(subscriber)

  /** The service for a handle, which is the value without its prefix. All results for one object share one lock.
    *
    * @throws DynamicKafkaException `INVALID_OPTION` if this driver has no such object, or no longer
    */
  def findService(handle: String): OpenService.Shared = services.find(handle) match {
    case Some((service, lock)) => OpenService.Shared(service, lock)
    case None                  => throw gone("metadataService", handle)
  }

  /** The same for a subscriber. */
  def findSubscriber(handle: String): KafkaStreamSubscriber =
    subscribers.find(handle).map(_._1).getOrElse(throw gone("streamSubscriber", handle))

  private def gone(option: String, handle: String): DynamicKafkaException = DynamicKafkaException(
    Condition.InvalidOption,
    say"Option ${Named.option(option)} is $Prefix$handle, but this driver has no such object: it was registered by another driver, or " +
      "before a restart, or nobody kept it. Give the object to the builder again, and call load() again."
  )
}
