package io.github.dynamickafka.spark.metadata

import io.github.dynamickafka.spark.errors.Wording

/** A property of a cluster, as one stream lists it. */
final private[spark] case class PropertyPlace(stream: String, cluster: String, property: String)

/** A view of a service's streams that knows where they are written, for messages. */
private[spark] trait Located {

  /** Such as "line 7 of streams.yaml"; only of properties with placeholders. */
  def place(property: PropertyPlace): Option[Wording]
}
