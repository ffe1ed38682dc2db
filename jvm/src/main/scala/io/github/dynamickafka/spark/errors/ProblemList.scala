package io.github.dynamickafka.spark.errors

import io.github.dynamickafka.spark.ids.Printable

/** The problems of metadata as the end of a sentence: that it can't be used, their number, and their texts. Only the first
  * hundred texts are shown, because the sentence goes into logs and events. The fields are those of all problems.
  */
object ProblemList {
  private val Shown = 100

  def text(problems: Seq[Wording]): Wording = {
    val count = if (problems.sizeIs == 1) "1 problem" else s"${problems.size} problems"
    val all   = problems.take(Shown).map(one => Printable.line(one.text)).mkString("; ")
    val more  = if (problems.sizeIs > Shown) s"; and ${problems.size - Shown} more" else ""
    val end   = if (more.isEmpty && all.endsWith("?")) "" else "."
    new Wording(s"can't be used ($count): $all$more$end", Wording.list(problems).fields)
  }
}
