package io.github.dynamickafka.spark.metadata

/** A property of a cluster, as one stream lists it. */
final private[spark] case class PropertyPlace(stream: String, cluster: String, property: String)
