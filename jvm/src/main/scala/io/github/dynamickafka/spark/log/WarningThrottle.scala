package io.github.dynamickafka.spark.log

import java.time.{Duration, Instant}

/** Decides when a warning is logged again. It is logged once, again if its cause changes, and once an hour while the cause
  * lasts. A cause that ended and comes again is new.
  *
  * @param logged when each was logged last, by its cause
  */
final case class WarningThrottle(logged: Map[Any, Instant] = Map.empty) {

  /** The state after these causes were found, and no others. */
  def now(causes: Iterable[Any], at: Instant): WarningThrottle =
    WarningThrottle(causes.iterator.map(cause => cause -> logged.get(cause).filterNot(due(_, at)).getOrElse(at)).toMap)

  /** Whether to log a warning for this cause now. */
  def due(cause: Any, at: Instant): Boolean = logged.get(cause).forall(due(_, at))

  private def due(last: Instant, at: Instant): Boolean = !last.plus(WarningThrottle.Again).isAfter(at)
}

object WarningThrottle {
  private val Again = Duration.ofHours(1)
}
