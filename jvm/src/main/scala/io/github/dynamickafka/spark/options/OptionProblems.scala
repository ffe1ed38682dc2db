package io.github.dynamickafka.spark.options

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Named, Wording}

/** One problem of the options.
  *
  * @param key the option's key: as declared, or as the user wrote it if it is unknown
  * @param text what was found and what is allowed; never the value of a `kafka.` option or an unknown one
  */
final case class OptionProblem(key: String, text: String)

object OptionProblems {
  // A value may be a large map of offsets. The error names the place in it anyway.
  private val ShownLength = 120

  def refused(option: SourceOption[_], value: String, reason: String): OptionProblem =
    OptionProblem(option.key, s"option `${option.key}` is `${shortened(value)}`: $reason")

  def missing(option: SourceOption[_]): OptionProblem =
    OptionProblem(option.key, s"option `${option.key}` is missing; allowed is ${option.check.allowed}")

  /** The address of a cluster is given, but no metadata service. */
  def addressAlone: OptionProblem = {
    val option = SourceOptions.MetadataService
    OptionProblem(option.key, s"option `${option.key}` is missing: ${PeerOptions.addressAlone}")
  }

  /** Positions are published under a group that the user knows. */
  def groupMissing: OptionProblem = OptionProblem(
    SourceOptions.CommitOffsets.key,
    s"option `${SourceOptions.CommitOffsets.key}` is `true` and option `kafka.group.id` is missing: set it to the group " +
      "under which positions are published"
  )

  def unknown(key: String): OptionProblem = PeerOptions.instead(key).fold(unheardOf(key)) { instead =>
    OptionProblem(key, s"option `$key` is one of Spark's own Kafka source and means nothing here: $instead")
  }

  private def unheardOf(key: String): OptionProblem = OptionProblem(
    key,
    s"option `$key` is unknown; " + NearestKey.to(key, SourceOptions.named.map(_.key)).map(near =>
      s"did you mean `$near`?"
    )
      .orElse(Option.when(key.contains('.'))(s"write a property of Kafka's clients as `kafka.$key`"))
      .getOrElse(SourceOptions.all.map(_.key).mkString("the options are ", ", ", ""))
  )

  def repeated(spellings: String): OptionProblem = OptionProblem(
    spellings.takeWhile(_ != ','),
    s"one option is set in several spellings: $spellings; keep one"
  )

  def refusedKafka(name: String, reason: String): OptionProblem =
    OptionProblem(s"kafka.$name", s"option `kafka.$name` is refused: $reason; leave it out")

  def endingOfStream(value: String): OptionProblem = refused(
    SourceOptions.EndingOffsets,
    value,
    "a streaming read has no end; use a batch read, or give a cluster its own `endingOffsets` in the metadata"
  )

  /** The same of one of the options by which Spark's own source says where a batch read ends. */
  def endingOfOneCluster: OptionProblem = OptionProblem(
    SourceOptions.EndingOffsets.key,
    "ending offsets or an ending time are set: a streaming read has no end; use a batch read"
  )

  /** The one error that names all problems. */
  def error(problems: Seq[OptionProblem]): DynamicKafkaException = {
    val text = problems.map(_.text) match {
      case Seq(one) => if (one.endsWith("?")) s"The $one" else s"The $one."
      case several  =>
        several.map(text => s"\n  - $text").mkString(s"The options have ${several.size} problems:", "", "")
    }
    val keys = Wording.list(problems.map(problem => Named.option(problem.key)))
    DynamicKafkaException(Condition.InvalidOption, new Wording(text, keys.fields))
  }

  private def shortened(value: String): String =
    if (value.length <= ShownLength) value else value.take(ShownLength) + "…"
}
