package io.github.dynamickafka.spark.errors

import java.util.{List => JList, Optional, OptionalInt}

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import io.github.dynamickafka.spark.ids.Printable

/** The one exception of this source: a condition, what happened, and what to do about it.
  *
  * It extends `IllegalArgumentException` because PySpark turns only a few of the JVM's exceptions into Python
  * exceptions with a readable message (`pyspark.errors.exceptions.captured`). Any other would reach a Python user as a
  * raw Py4J trace.
  *
  * The fields are the values that the text names. A getter of one value is empty if the text names no such value, or
  * several. Use `DynamicKafkaException.find` to get it from an exception of Spark. That also works for the failure of a
  * task, of which only the text reaches the driver.
  *
  * @param wording the message without the condition and the command that explains it, and its fields
  */
final class DynamicKafkaException private[errors] (
    val condition: Condition,
    private[spark] val wording: Wording,
    cause: Throwable
) extends IllegalArgumentException(ErrorText.of(condition, wording), cause) {

  /** What happened and what to do, without the condition, the command that explains it, and the fields. */
  def detail: String = wording.text

  /** The condition's name, such as `DYNAMIC_KAFKA_CLUSTER_UNREACHABLE`. */
  def getCondition: String = condition.name

  /** The id of the cluster. */
  def getCluster: Optional[String] = one(Field.Cluster)

  /** The cluster ids that the text names, at most 100. The other lists have the same limit. */
  def getClusters: JList[String] = all(Field.Cluster)

  /** The id of the stream. */
  def getStream: Optional[String] = one(Field.Stream)

  def getStreams: JList[String] = all(Field.Stream)

  def getTopic: Optional[String] = one(Field.Topic)

  def getTopics: JList[String] = all(Field.Topic)

  /** The number of the partition. */
  def getPartition: OptionalInt = number(Field.Partition)

  /** The key of the option. */
  def getOption: Optional[String] = one(Field.Option)

  def getOptions: JList[String] = all(Field.Option)

  /** The path of the metadata file, or of another file that the text is about. */
  def getFile: Optional[String] = one(Field.File)

  /** The line in [[getFile]], counted from 1. */
  def getLine: OptionalInt = number(Field.Line)

  /** The condition and the [[detail]]: the message without the command that explains it, and without the fields. */
  private[spark] def summary: String = s"$condition ${Printable.lines(detail)}"

  private def one(field: Field): Optional[String] = wording.fields.one(field).toJava
  private def all(field: Field): JList[String]    = wording.fields.all(field).asJava
  private def number(field: Field): OptionalInt   =
    wording.fields.one(field).flatMap(_.toIntOption).fold(OptionalInt.empty)(OptionalInt.of)
}

object DynamicKafkaException {
  private[spark] def apply(condition: Condition, wording: Wording): DynamicKafkaException =
    new DynamicKafkaException(condition, wording, null)

  private[spark] def apply(condition: Condition, wording: Wording, cause: Throwable): DynamicKafkaException =
    new DynamicKafkaException(condition, wording, cause)

  /** The error of this source behind an exception of Spark, such as the `StreamingQueryException` of a failed query. */
  def find(thrown: Throwable): Optional[DynamicKafkaException] = ErrorSearch.in(thrown).toJava
}
