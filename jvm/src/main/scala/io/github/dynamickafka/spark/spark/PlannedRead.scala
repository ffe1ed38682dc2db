package io.github.dynamickafka.spark.spark

import java.util.concurrent.atomic.AtomicReference

import scala.util.Try

import io.github.dynamickafka.spark.driver.bounded.BoundedRead

/** Asks what a batch read reads, and remembers the answer.
  *
  * Spark copies a scan while it plans. Within one action all copies read what one ask has found. Another action of the
  * same DataFrame asks again: it reads what is there then.
  *
  * @param ask asks the metadata service and the clusters
  * @param action which action of Spark runs in this thread, if any
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

  private def asked(): Asked = {
    val made = Asked(action(), Try(ask()))
    last.set(Some(made))
    made
  }
}

private object PlannedRead {
  final case class Asked(action: Option[String], outcome: Try[BoundedRead])
}
