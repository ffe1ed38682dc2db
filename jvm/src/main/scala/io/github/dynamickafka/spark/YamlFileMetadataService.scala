package io.github.dynamickafka.spark

import java.util.{Map => JMap}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.metadata.{FileSnapshots, Snapshots}

/** Streams from a YAML file. Each fetch reads the file again. To change it, replace the whole file. A cluster is active
  * if the file lists it and does not say `active: false`.
  *
  * Every method throws a `DynamicKafkaException` `INVALID_METADATA` if the file can't be read or does not have the form
  * below. The error names file, line, stream and field of each problem.
  * {{{
  * - streamId: orders
  *   clusterMetadataList:
  *     - clusterId: eu-1
  *       bootstrapServers: b1:9092,b2:9092
  *       topics: [orders]
  *       properties: {security.protocol: SASL_SSL}   # optional, as all below
  *       startingOffsets: earliest
  *       endingOffsets: {orders: {"0": 1200}}
  *       active: true
  *       continues: eu-0                            # or a list of ids
  *       paused: true                               # or a list of topics
  * }}}
  *
  * @param path a file on the driver's machine; with a scheme such as `hdfs://…`, in any file system that Hadoop
  *             supports
  */
final class YamlFileMetadataService(path: String) extends KafkaMetadataService with Snapshots {
  private val file = new FileSnapshots(path, path)

  /** From options: `path`. */
  def this(config: JMap[String, String]) = this(YamlFileMetadataService.path(config))

  /** The current streams, for one fetch, by one read of the file. */
  override def snapshot(): KafkaMetadataService = file.snapshot()
}

object YamlFileMetadataService {
  private[spark] val Path = "path"

  private def path(config: JMap[String, String]): String = Option(config.get(Path)).getOrElse(
    throw DynamicKafkaException(Condition.InvalidOption, s"The metadata service `yaml` needs a $Path.")
  )
}
