package io.github.dynamickafka.spark.metadata

/** A view of a service's streams that knows its version. */
private[spark] trait Versioned {

  /** None if the service has no versions. */
  def version: Option[Long]
}
