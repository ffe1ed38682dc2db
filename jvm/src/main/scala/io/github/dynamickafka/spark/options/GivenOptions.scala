package io.github.dynamickafka.spark.options

import java.util.Locale

/** The options that a user set, sorted by kind. Values are trimmed, but not checked yet.
  *
  * @param named by the key in the option's declaration
  * @param service the `metadataService.<key>` options without that prefix
  * @param kafka the `kafka.<key>` options without that prefix
  * @param unknown keys that belong to no option
  * @param repeated keys that were set in several spellings
  */
final case class GivenOptions(
    named: Map[String, String],
    service: Map[String, String],
    kafka: Map[String, String],
    unknown: Seq[String],
    repeated: Seq[String]
)

object GivenOptions {
  private val keys = SourceOptions.named.map(option => lower(option.key) -> option.key).toMap

  sealed private trait Kind
  final private case class Named(key: String)   extends Kind
  final private case class Service(key: String) extends Kind
  final private case class Kafka(key: String)   extends Kind
  private case object Foreign                   extends Kind
  private case object Unknown                   extends Kind

  def from(options: Map[String, String]): GivenOptions = {
    val copies        = options.flatMap { case (key, value) => SparkOptions.copied(key).map(_ -> value) }
    val plain         = options.filterNot { case (key, _) => SparkOptions.copied(key).isDefined }
    val (here, twice) = (plain.keySet.map(lower), copies.keySet.map(lower))
    val input         = plain ++ copies.filterNot { case (key, _) => here(lower(key)) }
    // Spark passes a table's own properties beside its options. They may hold anything, so they are not checked.
    val isProperty = (key: String) => copies.nonEmpty && !twice(lower(key))
    val kinds      = input.toSeq.sortBy(_._1).map { case (key, value) => (kind(key), key, value.trim) }
    GivenOptions(
      named = kinds.collect { case (Named(key), _, value) => key -> value }.toMap,
      service = kinds.collect { case (Service(key), _, value) => key -> value }.toMap,
      kafka = kinds.collect { case (Kafka(key), _, value) => key -> value }.toMap,
      unknown = kinds.collect { case (Unknown, key, _) if !isProperty(key) => key },
      repeated = kinds.filter(_._1 != Foreign).filter(_._1 != Unknown).groupBy(_._1).values.filter(_.sizeIs > 1)
        .map(_.map(_._2).mkString(", ")).toSeq.sorted
    )
  }

  private def kind(key: String): Kind =
    keys.get(lower(key)).map(Named(_))
      .orElse(SourceOptions.MetadataServiceConfig.member(key).map(Service(_)))
      .orElse(SourceOptions.KafkaProperties.member(key).map(Kafka(_)))
      .getOrElse(if (SparkOptions.isKnown(key)) Foreign else Unknown)

  private def lower(key: String): String = key.toLowerCase(Locale.ROOT)
}
