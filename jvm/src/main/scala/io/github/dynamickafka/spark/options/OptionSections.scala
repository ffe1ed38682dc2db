package io.github.dynamickafka.spark.options

/** The options page: one table of all, then a section for each option, the advanced ones last. */
object OptionSections {

  def markdown: String =
    overview + SourceOptions.topics.map(topic => part(s"## ${topic.title}", topic.usual)).mkString +
      "\n## Advanced\n\nFew queries need these.\n" +
      SourceOptions.topics.map(topic => part("", topic.advanced)).mkString

  private def overview: String = {
    val rows = SourceOptions.topics.flatMap { topic =>
      Seq(s"| **${topic.title}** | | |\n") ++ topic.options.map { option =>
        s"| [`${option.key}`](#${anchor(option)}) | ${default(option)} | ${cell(sentence(option.doc))} |\n"
      }
    }
    "| option | default | in one sentence |\n| --- | --- | --- |\n" + rows.mkString
  }

  private def part(heading: String, options: Seq[SourceOption[Any]]): String = {
    val above = if (heading.isEmpty) "" else s"\n$heading\n"
    above + options.map(section).mkString
  }

  private def section(option: SourceOption[Any]): String = {
    val python = Option.when(option.prefix.isEmpty)(s"- In Python: `${option.pythonName}`\n")
    s"""
       |### `${option.key}`
       |
       |${linked(option.doc)}
       |
       |- Default: ${default(option)}
       |- Allowed: ${option.check.allowed}
       |${python.getOrElse("")}- Since: ${option.since}
       |""".stripMargin
  }

  private def default(option: SourceOption[Any]): String = option.default match {
    case Default.Value(text) => s"`$text`"
    case other               => other.shown.getOrElse("none")
  }

  private def sentence(doc: String): String = linked(doc.split("(?<=[.]) ", 2).head)

  // As GitHub and the site make them of a heading.
  private def anchor(option: SourceOption[Any]): String = option.key.toLowerCase.filter(_.isLetterOrDigit)

  private def linked(doc: String): String = doc.replaceAll("docs/([\\w/-]+\\.md)", "[$1]($1)")

  private def cell(text: String): String = text.replace("|", "\\|")
}
