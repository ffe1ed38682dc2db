package io.github.dynamickafka.spark.options

/** Options that belong together on the reference page.
  *
  * @param usual what many queries set
  * @param advanced what a query seldom needs
  */
final case class OptionTopic(
    title: String,
    usual: Seq[SourceOption[Any]],
    advanced: Seq[SourceOption[Any]] = Nil
) {
  def options: Seq[SourceOption[Any]] = usual ++ advanced
}
