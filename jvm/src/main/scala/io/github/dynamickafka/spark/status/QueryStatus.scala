package io.github.dynamickafka.spark.status

import java.time.Instant

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

/** The status of one query, for the operators of its metadata. It contains no address and no secret. */
final case class QueryStatus(
    query: QueryIdentity,
    state: QueryState = QueryState.Running,
    applied: Option[AppliedVersion] = None,
    refused: Option[RefusedAnswer] = None
) {

  /** The query uses this version of the metadata. */
  def goingBy(version: Long, now: Instant): QueryStatus =
    copy(applied = applied.filter(_.version == version).orElse(Some(AppliedVersion(version, now))))

  /** A good answer came after the last refused one. */
  def unrefused: QueryStatus = copy(refused = None)

  /** An answer was refused. While the same answer is refused again, `at` is the time of the first refusal. */
  def refusing(answer: RefusedAnswer): QueryStatus =
    copy(refused = refused.filter(_.copy(at = answer.at) == answer).orElse(Some(answer)))

  def stopped: QueryStatus = copy(state = QueryState.Stopped)
}

sealed abstract class QueryState(val name: String) extends Product with Serializable

object QueryState {
  case object Running extends QueryState("running")
  case object Stopped extends QueryState("stopped")
}

/** @param at since when the query uses it */
final case class AppliedVersion(version: Long, at: Instant)

/** Why the last fetch failed.
  *
  * @param version of the answer, if it had one
  */
final case class RefusedAnswer(version: Option[Long], condition: Condition, reason: String, at: Instant)

object RefusedAnswer {
  // The first ones of very many problems are enough.
  private val Longest = 2000

  def of(version: Option[Long], failure: DynamicKafkaException, at: Instant): RefusedAnswer =
    RefusedAnswer(version, failure.condition, reason(failure), at)

  // A failure with a cause quotes a text of other code, which may contain anything.
  private def reason(failure: DynamicKafkaException): String =
    if (failure.getCause != null) "The log of the driver says why."
    else if (failure.detail.length > Longest) failure.detail.take(Longest) + "…"
    else failure.detail
}
