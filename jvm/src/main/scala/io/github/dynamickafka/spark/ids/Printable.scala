package io.github.dynamickafka.spark.ids

/** Names and texts of others as messages show them. Ids hold any characters; a line end in one must not forge a line of a
  * log, nor an escape sequence or a mark of direction change what a terminal shows.
  */
object Printable {

  /** The same in one line: what can't be seen is written as its code in hexadecimal, as JSON does it. */
  def line(text: String): String = shown(text, kept = "")

  /** The same, line ends and tabs kept, for a text of several lines. */
  def lines(text: String): String = shown(text, kept = "\n\t")

  private def shown(text: String, kept: String): String = {
    def visible(char: Char) = !invisible(char) || kept.indexOf(char.toInt) >= 0
    if (text.forall(visible)) text
    else text.flatMap(char => if (visible(char)) char.toString else f"\\u${char.toInt}%04x")
  }

  private def invisible(char: Char): Boolean = Character.getType(char) match {
    case Character.CONTROL | Character.FORMAT | Character.LINE_SEPARATOR | Character.PARAGRAPH_SEPARATOR => true
    case _                                                                                               => false
  }
}
