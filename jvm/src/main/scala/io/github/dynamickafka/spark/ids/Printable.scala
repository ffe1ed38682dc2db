package io.github.dynamickafka.spark.ids

/** Makes names and texts from outside safe to show. An id may contain any characters. A line end in it must not forge a
  * line of a log, and an escape sequence or a mark of direction must not change what a terminal shows.
  */
object Printable {

  /** The text in one line. Invisible characters are written as hexadecimal codes, as in JSON. */
  def line(text: String): String = shown(text, kept = "")

  /** The same, but line ends and tabs are kept. */
  def lines(text: String): String = shown(text, kept = "\n\t")

  /** The first 200 characters of a text that an error quotes. */
  def clipped(text: String): String = if (text.length <= Clip) text else s"${text.take(Clip)}…"

  private val Clip = 200

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
