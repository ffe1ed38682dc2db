package io.github.dynamickafka.spark.ask

/** How long a trigger waits for a cluster. */
sealed trait Patience extends Product with Serializable

object Patience {

  /** Until it has answered or failed, whatever it did before: the query needs it, or this is all it will ever ask. */
  case object Whole extends Patience

  /** While it may be expected to answer soon, and no longer: the others go on without it. */
  case object Brief extends Patience
}
