package io.github.dynamickafka.spark.metadata

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.{KafkaMetadataService, YamlFileMetadataService}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Named, ProblemList, Say, Wording}
import io.github.dynamickafka.spark.metadata.yaml.{FileText, StreamsFile}

/** The streams of a YAML file, which each fetch reads again.
  *
  * @param shown the path for messages, with placeholders not resolved: what they stand for may be a secret
  */
final private[spark] class FileSnapshots(path: String, shown: String) extends Snapshots {
  private val unnamed =
    new UnnamedClusters(LoggerFactory.getLogger(classOf[YamlFileMetadataService]), s"file=$shown")

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
