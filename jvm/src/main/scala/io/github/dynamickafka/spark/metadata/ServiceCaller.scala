package io.github.dynamickafka.spark.metadata

import java.time.Duration

import io.github.dynamickafka.spark.status.QueryIdentity

/** Who calls a service.
  *
  * @param limit how long one fetch may take
  * @param query none for a batch read
  */
final case class ServiceCaller(limit: Duration, query: Option[CallingQuery] = None)

/** A streaming query as the user of a service.
  *
  * @param versions keeps the last version of the metadata for the next start of the query
  */
final case class CallingQuery(identity: QueryIdentity, versions: VersionStore)

/** Keeps one text over restarts of the driver. */
trait VersionStore {

  /** The text that was written last, if there is one. */
  def read(): Option[String]

  /** When this returns, each later start reads it. */
  def write(text: String): Unit
}
