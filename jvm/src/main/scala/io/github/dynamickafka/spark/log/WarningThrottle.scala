package io.github.dynamickafka.spark.log

import java.time.{Duration, Instant}

/** When the warnings of things that last are logged: each once, again if its cause changes, and once an hour while it
  * lasts. What ends and comes again is new.
  *
  * @param logged when each was logged last, by its cause
  */
final case class WarningThrottle(logged: Map[Any, Instant] = Map.empty) {

  /** The same now that these causes hold, and no others. */
  def now(causes: Iterable[Any], at: Instant): WarningThrottle =
    WarningThrottle(causes.iterator.map(cause => cause -> logged.get(cause).filterNot(due(_, at)).getOrElse(at)).toMap)

  /** Whether it is to be logged now that it holds. */
  def due(cause: Any, at: Instant): Boolean = logged.get(cause).forall(due(_, at))

  private def due(last: Instant, at: Instant): Boolean = !last.plus(WarningThrottle.Again).isAfter(at)
}

object WarningThrottle {
  private val Again = Duration.ofHours(1)
}
