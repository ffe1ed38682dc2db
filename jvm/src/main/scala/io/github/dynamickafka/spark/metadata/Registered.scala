package io.github.dynamickafka.spark.metadata

import java.util.concurrent.locks.ReentrantLock

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStreamSubscriber}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

/** Hands a user's object to a source whose options are strings alone: the object is registered in this driver, and the
  * option's value names it as `registered:<handle>`.
  *
  * Objects are held weakly. Until `load()` has resolved the handle, the builder must hold the object; from then on
  * the table does, and with it every query that reads the table.
  */
object Registered {
  val Prefix = "registered:"

  private val services    = new WeakRegistry[KafkaMetadataService, ReentrantLock](() => new ReentrantLock(true))
  private val subscribers = new WeakRegistry[KafkaStreamSubscriber, Unit](() => ())

  /** The value of the option `metadataService` that means this object. The same object, by identity: the same value. */
  def service(service: KafkaMetadataService): String = Prefix + services.register(service)

  /** The value of the option `streamSubscriber` that means this object. */
  def subscriber(subscriber: KafkaStreamSubscriber): String = Prefix + subscribers.register(subscriber)

  /** The service behind a handle (the value without its prefix). All answers for one object share one lock.
    *
    * @throws DynamicKafkaException `INVALID_OPTION` if this driver holds no such object, or no longer
    */
  def findService(handle: String): SharedService = services.find(handle) match {
    case Some((service, lock)) => new SharedService(service, lock)
    case None                  => throw gone("metadataService", handle)
  }

  /** The same for a subscriber. */
  def findSubscriber(handle: String): KafkaStreamSubscriber =
    subscribers.find(handle).map(_._1).getOrElse(throw gone("streamSubscriber", handle))

  private def gone(option: String, handle: String): DynamicKafkaException = DynamicKafkaException(
    Condition.InvalidOption,
    s"Option $option is $Prefix$handle, but this driver holds no such object: it was registered by another driver, or " +
      "before a restart, or nobody kept it. Hand the object to the builder again, and load the source anew."
  )
}
