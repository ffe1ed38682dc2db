package io.github.dynamickafka.spark

import java.util.{Map => JMap}

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Named, ProblemList, Say, Wording}
import io.github.dynamickafka.spark.metadata.{FixedStreams, PropertyPlace, Snapshots, UnnamedClusters}
import io.github.dynamickafka.spark.metadata.yaml.{FileText, StreamsFile}

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
final class YamlFileMetadataService private (path: String, shown: String)
    extends KafkaMetadataService
    with Snapshots {
  private val unnamed =
    new UnnamedClusters(LoggerFactory.getLogger(classOf[YamlFileMetadataService]), s"file=$shown")

  def this(path: String) = this(path, path)

  /** From options: `path`. */
  def this(config: JMap[String, String]) = this(YamlFileMetadataService.path(config))

  /** The current streams, for one fetch, by one read of the file. */
  override def snapshot(): KafkaMetadataService = {
    val file = parsed()
    unnamed.warn(file.unnamed)
    def place(property: PropertyPlace) =
      file.lines.get(property).map(line => say"line ${Named.line(line)} of ${Named.file(shown)}")
    new FixedStreams(file.streams, id => file.active.getOrElse(id, false), place = place)
  }

  private def parsed(): StreamsFile = StreamsFile.parse(read()) match {
    case Right(file)    => file
    case Left(problems) => throw invalid(ProblemList.text(problems.map(_.wording)), null)
  }

  private def read(): String =
    try FileText.read(path)
    catch {
      case NonFatal(e) if shown == path =>
        throw invalid(s"can't be read: ${e.getClass.getName}: ${e.getMessage}.", e)
      // Its text may have the path, in any form.
      case NonFatal(e) => throw invalid(s"can't be read: ${e.getClass.getName}.", null)
    }

  private def invalid(problem: Wording, cause: Throwable): DynamicKafkaException =
    DynamicKafkaException(Condition.InvalidMetadata, say"The metadata file ${Named.file(shown)} $problem", cause)
}

object YamlFileMetadataService {
  private[spark] val Path = "path"

  /** @param shown the path for messages, with placeholders not resolved: what they stand for may be a secret */
  private[spark] def reading(path: String, shown: String) = new YamlFileMetadataService(path, shown)

  private def path(config: JMap[String, String]): String = Option(config.get(Path)).getOrElse(
    throw DynamicKafkaException(Condition.InvalidOption, s"The metadata service `yaml` needs a $Path.")
  )
}
