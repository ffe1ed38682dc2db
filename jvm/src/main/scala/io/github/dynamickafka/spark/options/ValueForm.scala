package io.github.dynamickafka.spark.options

/** How the builders take the values of an option. Their methods are generated from it. */
sealed trait ValueForm extends Product with Serializable

object ValueForm {
  case object Text                              extends ValueForm
  case object Flag                              extends ValueForm
  case object Count                             extends ValueForm
  case object Duration                          extends ValueForm
  case object DurationOrOff                     extends ValueForm
  case object Offsets                           extends ValueForm
  final case class Choice(values: List[String]) extends ValueForm

  /** Objects, or several values: the methods are written by hand. */
  case object ByHand extends ValueForm
}
