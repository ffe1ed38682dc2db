package io.github.dynamickafka.spark.metadata

import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.SortedSet

import org.slf4j.Logger

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.Printable

/** Warns once of each cluster that has no id in the metadata, so that its address is its id.
  *
  * @param where the place of the metadata, as a name and a value for the log: `file=streams.yaml`
  */
final private[spark] class UnnamedClusters(log: Logger, where: String) {
  private val warned = new AtomicReference(SortedSet.empty[String])

  def warn(unnamed: SortedSet[String]): Unit =
    (unnamed -- warned.getAndUpdate(_ ++ unnamed)).foreach { address =>
      log.warn(
        "{} A cluster of the metadata has no clusterId, so its address is its id: if the address changes, it " +
          "becomes another cluster. Give it a clusterId. bootstrapServers={} {}",
        Condition.InvalidMetadata,
        Printable.line(address),
        where
      )
    }
}
