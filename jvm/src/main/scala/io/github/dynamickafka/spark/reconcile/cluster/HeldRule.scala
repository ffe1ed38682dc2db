package io.github.dynamickafka.spark.reconcile.cluster

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetRuleText}

/** A cluster's rule that the checkpoint holds as text. */
object HeldRule {

  /** @throws DynamicKafkaException `OFFSET_VERSION` where a newer release wrote a form that this one does not know */
  def of(text: String): ClusterRule = OffsetRuleText.cluster(text).fold(
    why =>
      throw DynamicKafkaException(Condition.OffsetVersion, s"The checkpoint's offsets `$text` can't be read: $why"),
    identity
  )
}
