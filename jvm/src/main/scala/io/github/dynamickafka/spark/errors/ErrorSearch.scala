package io.github.dynamickafka.spark.errors

import scala.util.matching.Regex

/** Finds the error of this source behind an exception of Spark, in the same way as Python's `find_error`. */
private[errors] object ErrorSearch {

  // A chain of causes may be a circle.
  private val MostCauses = 50

  private val Named: Regex = """\[(DYNAMIC_KAFKA_[A-Z_]+)\] """.r

  // What may follow our text inside a longer one: a stack trace, or Spark's text about the failed query.
  private val Afterwards: Regex = """\n\tat |\n+JVM stacktrace:|(?: SQLSTATE: \w+)?\n+=== Streaming Query ===""".r

  def in(thrown: Throwable): Option[DynamicKafkaException] = {
    val chain = Iterator.iterate(thrown)(_.getCause).takeWhile(_ != null).take(MostCauses).toVector
    val texts = chain.flatMap(link => Option(link.getMessage))
    // The innermost text that begins with a condition is ours alone. The others may quote it.
    val exact = texts.filter(Named.findPrefixOf(_).isDefined)
    chain.collect { case ours: DynamicKafkaException => ours }.lastOption
      .orElse((exact.reverse ++ texts).iterator.flatMap(error(_, thrown)).nextOption())
  }

  private def error(text: String, thrown: Throwable): Option[DynamicKafkaException] = for {
    named     <- Named.findFirstMatchIn(text)
    condition <- Condition.all.find(_.name == named.group(1))
  } yield {
    val rest = Afterwards.split(text.substring(named.end))
    DynamicKafkaException(condition, ErrorText.read(condition, rest.headOption.getOrElse("")), thrown)
  }
}
