package io.github.dynamickafka.spark.metrics

/** A text as a metric: each progress event contains it. */
private[metrics] object Shortened {
  private val Longest = 1000

  def apply(text: String): String = if (text.length > Longest) s"${text.take(Longest)}…" else text
}
