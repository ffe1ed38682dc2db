package io.github.dynamickafka.spark.options

/** One option: the only place that says what it is called, takes, defaults to and means.
  *
  * @param key as users write it; Spark compares keys without case. One that ends in `.<key>` stands for all that begin so
  * @param since the first version that has it
  * @param doc one paragraph of Markdown for users
  */
final case class SourceOption[+A](
    key: String,
    default: Default,
    check: Check[A],
    since: String,
    doc: String,
    availability: Availability = Availability.Built
) {

  /** `streamIds` in Python: `stream_ids`. */
  def pythonName: String = key.flatMap(c => if (c.isUpper) s"_${c.toLower}" else c.toString)

  /** What the keys of a family of options begin with. */
  def prefix: Option[String] = Option.when(key.endsWith("<key>"))(key.stripSuffix("<key>"))

  /** What a key of this family has after the prefix; none: it is not of this family. */
  def member(of: String): Option[String] =
    prefix.filter(p => of.regionMatches(true, 0, p, 0, p.length)).map(p => of.substring(p.length)).filter(_.nonEmpty)
}

/** What holds when an option is not given. */
sealed trait Default extends Product with Serializable {

  /** For the reference page. */
  def shown: Option[String]
}

object Default {

  /** A text that the option's own check takes. */
  final case class Value(text: String) extends Default { def shown: Option[String] = Some(text) }

  /** Nothing is set, and the reader of the settings knows what that means, as the text says. */
  final case class Unset(meaning: Option[String] = None) extends Default { def shown: Option[String] = meaning }

  case object Required extends Default { def shown: Option[String] = Some("required") }
}

/** Whether this version can do what an option asks for. */
sealed trait Availability extends Product with Serializable

object Availability {
  case object Built extends Availability

  /** The name is taken and refused, so that nobody relies on it in vain.
    *
    * @param accepted values that ask for nothing, and are taken
    */
  final case class NotYet(accepted: Set[String] = Set.empty) extends Availability
}
