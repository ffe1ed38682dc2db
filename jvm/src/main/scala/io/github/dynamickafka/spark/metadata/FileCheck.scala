package io.github.dynamickafka.spark.metadata

import scala.collection.immutable.SortedSet
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.KafkaStream
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.properties.BootstrapList
import io.github.dynamickafka.spark.metadata.yaml.{StreamsFile, StreamsReading, YamlProblem}
import io.github.dynamickafka.spark.topology.{DescribedStream, Topology, TopologyProblem, TopologyResolver}

/** A problem of a file of streams, or a warning, with its place as far as it has one. The text shows no property's value.
  *
  * @param line counted from 1
  * @param field its path below the stream, or the name of a property
  */
final case class FileProblem(
    text: String,
    line: Option[Int] = None,
    stream: Option[String] = None,
    cluster: Option[String] = None,
    field: Option[String] = None
) {

  /** As one line, with its place. */
  def shown: String = (line.map(number => s"line $number") ++ stream.map(id => s"stream $id") ++
    field.map(path => s"field $path")).mkString(", ") + s": $text"
}

/** All that the text of a file of streams shows, before any cluster is asked.
  *
  * @param warnings what does not prevent the use of the file. A secret that is missing on this machine is among them: it
  *                 may be on the driver's machine alone
  * @param unresolved the clusters that lack such a value
  * @param topology of all streams; none if there are problems
  */
final case class FileCheck(
    problems: Vector[FileProblem],
    warnings: Vector[FileProblem],
    unresolved: Map[ClusterId, String],
    streams: Int,
    topology: Option[Topology]
)

object FileCheck {

  /** @param kafkaProperties the `kafka.*` options without that prefix */
  def of(text: String, kafkaProperties: Map[String, String], placeholders: Placeholders): FileCheck =
    new FileCheck.Checking(StreamsFile.read(text), kafkaProperties, placeholders.readingOnce).check

  final private class Checking(read: StreamsReading, kafkaProperties: Map[String, String], placeholders: Placeholders) {
    private val whole   = read.problems.isEmpty
    private val streams = read.file.streams.values.toVector

    def check: FileCheck = {
      val inactive = read.file.active.collect { case (id, false) => ClusterId(id) }.toSet
      val resolved = TopologyResolver.resolve(described, inactive, SortedSet.empty)
      val further  = resolved.left.getOrElse(Vector.empty).map(located)
      FileCheck(
        (read.problems.map(placed) ++ further ++ addresses).distinct.sortBy(_.line.getOrElse(Int.MaxValue)),
        unnamed ++ open.map(_._2) ++ resolved.fold(_ => Vector.empty, _.warnings.toVector.map(FileProblem(_))),
        open.map { case (id, problem) => id -> problem.text }.toMap,
        streams.size,
        resolved.toOption.filter(_ => whole).map(_.topology)
      )
    }

    private val written: Vector[DescribedStream] = {
      val lenient = new StreamDescriptions(kafkaProperties, placeholders.lenient)
      streams.map(lenient.of)
    }

    private def described: Vector[DescribedStream] = if (whole) written else written.map(apart)

    // A query would notice this only when it opens a client. The value of a placeholder is never shown.
    private def addresses: Vector[FileProblem] = for {
      stream        <- streams
      (id, cluster) <- stream.getClusters.asScala.toVector.sortBy(_._1)
      seen          <- written.filter(_.id.value == stream.getStreamId).flatMap(_.clusters.get(ClusterId(id)))
      found         <- seen.connection.toSeq
      own = cluster.getProperties.asScala.getOrElse("bootstrap.servers", "")
      address <- BootstrapList.unreadable(found.bootstrapServers) if !address.contains("${")
      shown = if (own.contains("${") || !Address.matches(address)) "an address" else s"the address $address"
    } yield at(stream, id).copy(
      text = s"$shown has no port, or is none: write host:port, such as b1:9092",
      field = Some("bootstrapServers")
    )

    // Where entries are missing, nobody knows how the clusters continue each other.
    private def apart(stream: DescribedStream): DescribedStream = stream.copy(clusters =
      stream.clusters.map { case (id, cluster) => id -> cluster.copy(continues = cluster.continues.filter(_ == id)) }
    )

    private val open: Vector[(ClusterId, FileProblem)] = for {
      stream        <- streams
      (id, cluster) <- stream.getClusters.asScala.toVector.sortBy(_._1)
      problem <- placeholders.resolve(kafkaProperties ++ cluster.getProperties.asScala).left.getOrElse(Vector.empty)
    } yield ClusterId(id) -> at(stream, id).copy(
      text = s"${problem.placeholder} can't be resolved on this machine: ${problem.reason}",
      field = Some(s"properties.${problem.property}")
    )

    private def unnamed: Vector[FileProblem] = for {
      stream <- streams
      id     <- stream.getClusters.keySet.asScala.toVector.sorted if read.file.unnamed(id)
    } yield at(stream, id).copy(
      text = "it has no clusterId, so its address is its id: if the address changes, it becomes another cluster",
      field = Some("clusterId")
    )

    private def at(stream: KafkaStream, cluster: String): FileProblem = FileProblem(
      "",
      read.lines.get(stream.getStreamId -> cluster),
      Some(stream.getStreamId),
      Some(cluster)
    )

    private def placed(problem: YamlProblem): FileProblem = FileProblem(
      problem.text,
      Some(problem.line),
      Option(problem.place.stream.text).filter(_.startsWith(Stream)).map(_.stripPrefix(Stream)),
      field = Option(problem.place.path).filter(_.nonEmpty)
    )

    private def located(problem: TopologyProblem): FileProblem = {
      val lines = read.lines.collect {
        case ((stream, cluster), line)
            if problem.cluster.exists(_.value == cluster) && problem.stream.forall(_.value == stream) => line
      }
      FileProblem(problem.wording.text, lines.minOption, problem.stream.map(_.value), problem.cluster.map(_.value))
    }
  }

  private val Stream = "stream "

  // Any other text may hold more than an address.
  private val Address = """[\w.:/\[\]-]+""".r
}
