package io.github.dynamickafka.spark.options

/** The parsed values of the options that were set. Each has the type of its declaration. */
final class OptionValues private (values: Map[String, Any]) {

  /** The value that was set. The cast is safe: only the option's own check puts a value under its key. */
  def find[A](option: SourceOption[A]): Option[A] = values.get(option.key).map(_.asInstanceOf[A])

  /** The value that was set, else the default. Only for options that have a default. */
  def apply[A](option: SourceOption[A]): A = find(option).getOrElse(OptionValues.default(option))
}

object OptionValues {

  /** The values that could be parsed, and the problems of the others. */
  def from(named: Map[String, String]): (Seq[OptionProblem], OptionValues) = {
    val outcomes = for {
      option <- SourceOptions.named
      value  <- named.get(option.key)
    } yield read(option, value).map(option.key -> _)
    (outcomes.flatMap(_.left.toOption), new OptionValues(outcomes.flatMap(_.toOption).toMap))
  }

  private def read(option: SourceOption[Any], value: String): Either[OptionProblem, Any] =
    option.check.parse(value).left.map(OptionProblems.refused(option, value, _))

  private def default[A](option: SourceOption[A]): A = option.default match {
    case Default.Value(text) => option.check.parse(text).fold(why => sys.error(s"${option.key}: $why"), identity)
    case _                   => sys.error(s"${option.key} has no default")
  }
}
