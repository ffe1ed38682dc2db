package io.github.dynamickafka.spark.driver.trigger

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.{BatchKind, OffsetQuestions, ReconcilePolicy, StepBasis}

/** How long a trigger waits for the answer of each cluster. */
final private[trigger] class WaitModes(policy: ReconcilePolicy) {

  /** If the query fails when a cluster does not answer, it waits for it. At a border of Real-Time Mode nothing is read: there
    * it fails once the asks have failed.
    */
  def usual(basis: StepBasis)(id: ClusterId): WaitMode =
    if (!policy.needs(id, basis.roles)) WaitMode.Limited
    else if (policy.batches == BatchKind.RealTime && basis.last.isDefined) WaitMode.WholeLater
    else WaitMode.UntilAnswered

  /** All clusters, but those that are not read now. */
  def untilAnswered(basis: StepBasis)(id: ClusterId): WaitMode =
    if (basis.roles.rests(id) && !new OffsetQuestions(basis, policy).drains(id)) WaitMode.Limited
    else WaitMode.UntilAnswered
}
