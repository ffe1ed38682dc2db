package io.github.dynamickafka.spark.errors

import io.github.dynamickafka.spark.ids.Printable

/** What is wrong with metadata, in one text: how many problems there are, and each of them; of very many the first, for a
  * text of any length would go into each log and event that reports it.
  */
object ProblemList {
  private val Told = 100

  def text(problems: Seq[_]): String = {
    val count = if (problems.sizeIs == 1) "1 problem" else s"${problems.size} problems"
    val all   = problems.take(Told).map(one => Printable.line(one.toString)).mkString("; ")
    val more  = if (problems.sizeIs > Told) s"; and ${problems.size - Told} more" else ""
    s"can't be used ($count): $all$more."
  }
}
