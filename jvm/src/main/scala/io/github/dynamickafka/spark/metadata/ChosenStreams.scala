package io.github.dynamickafka.spark.metadata

import java.util.regex.Pattern

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.KafkaStreamSubscriber
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.options.StreamSelection

/** Which of the service's streams are read, with the user's subscriber, if one chooses, at hand as an object. */
sealed trait ChosenStreams extends Product with Serializable

object ChosenStreams {

  /** Makes sure that a subscriber that is named by its class can be made.
    *
    * @throws io.github.dynamickafka.spark.errors.DynamicKafkaException `INVALID_OPTION` if there is no such class
    */
  def check(selection: StreamSelection): Unit = selection match {
    case StreamSelection.SubscriberClass(name) => subscriber(name): Unit
    case _                                     => ()
  }

  private def subscriber(name: String) = UserClass.load("streamSubscriber", name, classOf[KafkaStreamSubscriber])

  final case class Ids(ids: SortedSet[StreamId])                   extends ChosenStreams
  final case class Matching(pattern: Pattern)                      extends ChosenStreams
  final case class BySubscriber(subscriber: KafkaStreamSubscriber) extends ChosenStreams

  /** Finds or makes the subscriber that the options name.
    *
    * @throws io.github.dynamickafka.spark.errors.DynamicKafkaException `INVALID_OPTION` if there is none,
    *         `METADATA_UNAVAILABLE` if its constructor throws
    */
  def of(selection: StreamSelection): ChosenStreams = selection match {
    case StreamSelection.Ids(ids)                     => Ids(ids)
    case StreamSelection.Matching(pattern)            => Matching(pattern)
    case StreamSelection.RegisteredSubscriber(handle) => BySubscriber(Registered.findSubscriber(handle))
    case StreamSelection.SubscriberClass(name)        =>
      BySubscriber(subscriber(name).create())
  }
}
