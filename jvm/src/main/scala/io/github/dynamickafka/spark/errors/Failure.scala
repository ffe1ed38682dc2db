package io.github.dynamickafka.spark.errors

import io.github.dynamickafka.spark.ids.Printable

/** A failure as a value: what one cluster does must not decide for the others before one place judges it. */
final case class Failure(condition: Condition, detail: String) {

  /** Whether we are refused, by the cluster or where one logs in for it. */
  def refusal: Boolean = condition == Condition.AuthenticationFailed || condition == Condition.NotAuthorized

  def exception: DynamicKafkaException = DynamicKafkaException(condition, detail)

  /** The same, while the metadata may be about to tell other credentials. */
  def doubted: Failure =
    copy(detail =
      s"$detail The query fails if a fetch of the metadata that begins from now on tells the same properties."
    )

  /** In one line, for the log. */
  override def toString: String = s"$condition ${Printable.line(detail)}"
}
