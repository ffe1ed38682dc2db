package io.github.dynamickafka.spark.ask

/** How long a trigger waits for a cluster. */
sealed trait WaitMode extends Product with Serializable

object WaitMode {

  /** Until it has answered or failed, even if it was slow before. The query needs it, or will not ask again. */
  case object UntilAnswered extends WaitMode

  /** Only as long as it is expected to answer soon. Then the other clusters continue without it. */
  case object Limited extends WaitMode
}
