package io.github.dynamickafka.spark.options

/** One option: its name, allowed values, default and meaning. Nothing else declares them.
  *
  * @param key as users write it; Spark ignores case in keys. A key that ends in `.<key>` stands for all with that prefix
  * @param since the first version that has it
  * @param doc one paragraph of Markdown for users; links are relative to the folder `docs`
  */
final case class SourceOption[+A](
    key: String,
    default: Default,
    check: Check[A],
    since: String,
    doc: String
) {

  /** The name in Python, such as `stream_ids` for `streamIds`. */
  def pythonName: String = key.flatMap(c => if (c.isUpper) s"_${c.toLower}" else c.toString)

  /** The prefix of a family of options, such as `kafka.`. None for a single option. */
  def prefix: Option[String] = Option.when(key.endsWith("<key>"))(key.stripSuffix("<key>"))

  /** The rest of a key after this family's prefix. None if the key is not in this family. */
  def member(of: String): Option[String] =
    prefix.filter(p => of.regionMatches(true, 0, p, 0, p.length)).map(p => of.substring(p.length)).filter(_.nonEmpty)
}

/** What applies when an option is not set. */
sealed trait Default extends Product with Serializable {

  /** For the reference page. */
  def shown: Option[String]
}

object Default {

  /** A default text, which passes the option's own check. */
  final case class Value(text: String) extends Default { def shown: Option[String] = Some(text) }

  /** No value. `meaning` describes what happens then. */
  final case class Unset(meaning: Option[String] = None) extends Default { def shown: Option[String] = meaning }

  case object Required extends Default { def shown: Option[String] = Some("required") }
}
