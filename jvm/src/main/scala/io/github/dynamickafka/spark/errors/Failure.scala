package io.github.dynamickafka.spark.errors

import io.github.dynamickafka.spark.ids.Printable

/** A failure as a value: what one cluster does must not decide for the others before one place judges it. */
final case class Failure(condition: Condition, detail: String) {

  /** Whether we are refused, by the cluster or where one logs in for it. */
  def refusal: Boolean = condition == Condition.AuthenticationFailed || condition == Condition.NotAuthorized

  def exception: DynamicKafkaException = DynamicKafkaException(condition, detail)

  /** The same, while a fetch of the metadata that began afterwards is awaited: it may not want the cluster any more, or
    * report other credentials.
    */
  def doubted: Failure =
    copy(detail = s"$detail The query fails if the next fetch of the metadata still wants the cluster.")

  /** In one line, for the log. */
  override def toString: String = s"$condition ${Printable.line(detail)}"
}
