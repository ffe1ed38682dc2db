package io.github.dynamickafka.spark.pages

/** Texts link to pages by their path below `docs`. */
private[pages] object ReferenceLinks {
  private val Link  = """\]\(([^)]+)\)""".r
  private val Named = """\[([^\]]+)\]\(([^)]+)\)""".r

  /** The same text for a page in `docs/reference`. */
  def of(text: String): String = Link.replaceAllIn(
    text,
    found => {
      val target = found.group(1)
      val there  = if (target.startsWith("reference/")) target.stripPrefix("reference/") else s"../$target"
      s"]($there)"
    }
  )

  /** The same text for a terminal: the path of the page stands behind what is said. */
  def plain(text: String): String = Named.replaceAllIn(text, "$1 (docs/$2)")
}
