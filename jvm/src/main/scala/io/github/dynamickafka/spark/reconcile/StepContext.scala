package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.reconcile.succession.{Duplicates, HandOver}

/** What every part of one step looks at. */
final class StepContext(val situation: Situation, val policy: ReconcilePolicy) {

  /** Who has a topic that several ids list, though nobody declared it. */
  val duplicates: Duplicates = Duplicates.of(situation, policy)

  /** The positions that go over to another id. */
  val handOver: HandOver = HandOver.of(situation, duplicates)
}
