package io.github.dynamickafka.spark.errors

/** A failure as a value: what one cluster does must not decide for the others before one place judges it. */
final case class Failure(condition: Condition, detail: String) {
  def exception: DynamicKafkaException = DynamicKafkaException(condition, detail)

  override def toString: String = s"$condition $detail"
}
