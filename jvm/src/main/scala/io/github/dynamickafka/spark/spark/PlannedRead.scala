package io.github.dynamickafka.spark.spark

import java.util.concurrent.atomic.AtomicReference

import scala.util.Try

import io.github.dynamickafka.spark.driver.BoundedRead

/** What a batch read reads, as the clusters are asked about it.
  *
  * Spark may want an estimate while it plans, and then the ranges. Within one action both are of one ask. A DataFrame that
  * was only explained, and is read later, is asked about anew: it reads what is there when it is read.
  *
  * @param ask of the metadata service and the clusters
  * @param action which action of Spark's is under way in this thread, if any
  */
final private[spark] class PlannedRead(ask: () => BoundedRead, action: () => Option[String]) {
  import PlannedRead.Asked

  private val last = new AtomicReference(Option.empty[Asked])

  /** What this action reads.
    *
    * @throws DynamicKafkaException see [[io.github.dynamickafka.spark.driver.OpenedSource]]
    */
  def now(): BoundedRead = synchronized {
    val under = action()
    last.get.filter(_ => under.isDefined).filter(_.action == under).getOrElse(asked()).outcome.get
  }

  /** What was read, or would have been when this was first asked for. An ask that failed is not repeated for an estimate. */
  def estimate(): Try[BoundedRead] = synchronized(last.get.getOrElse(asked()).outcome)

  /** The same, as far as somebody has asked. */
  def known: Option[BoundedRead] = last.get.flatMap(_.outcome.toOption)

  private def asked(): Asked = {
    val made = Asked(action(), Try(ask()))
    last.set(Some(made))
    made
  }
}

private object PlannedRead {
  final case class Asked(action: Option[String], outcome: Try[BoundedRead])
}
