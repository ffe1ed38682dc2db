package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.reconcile.succession.{Duplicates, HandOver, Roles}

/** What every part of one step looks at.
  *
  * @param roles who reads which log
  * @param duplicates who has a topic that several ids list, though nobody declared it
  * @param handOver the positions that go over to another id
  */
final case class StepContext(
    situation: Situation,
    policy: ReconcilePolicy,
    roles: Roles,
    duplicates: Duplicates,
    handOver: HandOver
)

object StepContext {
  def of(situation: Situation, policy: ReconcilePolicy): StepContext = {
    val roles      = Roles.of(situation.held, situation.topology)
    val duplicates = Duplicates.of(situation, roles, policy)
    StepContext(situation, policy, roles, duplicates, HandOver.of(situation, roles, duplicates))
  }
}
