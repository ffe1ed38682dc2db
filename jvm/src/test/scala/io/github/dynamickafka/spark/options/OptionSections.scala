package io.github.dynamickafka.spark.options

/** The options page: a list of all, then a section for each option, the advanced ones last. */
object OptionSections {

  def markdown: String =
    overview + SourceOptions.topics.map(topic => part(s"## ${topic.title}", topic.usual)).mkString +
      "\n## Advanced\n\nFew queries need these.\n" +
      SourceOptions.topics.map(topic => part("", topic.advanced)).mkString

  private def overview: String = SourceOptions.topics.map { topic =>
    s"- ${topic.title}: ${topic.options.map(option => s"[`${option.key}`](#${anchor(option)})").mkString(", ")}\n"
  }.mkString

  private def part(heading: String, options: Seq[SourceOption[Any]]): String = {
    val above = if (heading.isEmpty) "" else s"\n$heading\n"
    above + options.map(section).mkString
  }

  private def section(option: SourceOption[Any]): String =
    s"""
       |### `${option.key}`
       |
       |${option.doc}
       |
       |Default: ${default(option)}.${allowed(option)}${since(option)}
       |""".stripMargin

  // The forms of offsets have a page of their own. Errors list them.
  private def allowed(option: SourceOption[Any]): String =
    if (option.check.form == ValueForm.Offsets) " Allowed: one of [the forms](reference/offsets.md#the-forms)."
    else if (usual(option.check.allowed)) ""
    else s" Allowed: ${option.check.allowed}."

  // The head of the page says these of all options.
  private val usual = Set("a duration above 0", "a whole number above 0", "any text", "any text that is not empty")

  private def since(option: SourceOption[Any]): String =
    if (option.since == SourceOptions.First) "" else s" Since: ${option.since}."

  private def default(option: SourceOption[Any]): String = option.default match {
    case Default.Value(text) => s"`$text`"
    case other               => other.shown.getOrElse("none")
  }

  // As GitHub and the site make them of a heading.
  private def anchor(option: SourceOption[Any]): String = option.key.toLowerCase.filter(_.isLetterOrDigit)
}
