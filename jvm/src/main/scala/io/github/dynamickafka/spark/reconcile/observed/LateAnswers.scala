package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.ClusterId

/** Clusters whose answers come late. A broker that was frozen answers when it thaws, with what it knew before other brokers
  * took over from it. So the end of a drain, which is found only once, comes from an ask that was sent some time later.
  *
  * @param spells of each cluster, its successive late answers
  * @param unsettled the clusters whose newest answer was asked for too soon after the first of them
  */
final case class LateAnswers(
    spells: Map[ClusterId, LateAnswers.Spell] = Map.empty,
    unsettled: Set[ClusterId] = Set.empty
) {
  import LateAnswers._

  /** After one more ask.
    *
    * @param clusters those that have answered or failed
    * @param began when each was asked
    * @param ended when its answer came
    */
  def asked(clusters: Set[ClusterId], began: ClusterId => Instant, ended: ClusterId => Instant): LateAnswers = {
    val now = clusters.flatMap { id =>
      val took  = Duration.between(began(id), ended(id))
      val known = spells.get(id).filter { case Spell(first, last, _) =>
        // They lie ahead where the clock was set back.
        !last.isAfter(ended(id)) && !began(id).isAfter(last.plus(Over)) && !began(id).isBefore(first.minus(Over))
      }
      val long  = took.compareTo(Settled) > 0
      val first = known.filter(before => !long || before.long).fold(ended(id))(_.first)
      val after = if (took.compareTo(Late) > 0) Some(Spell(first, ended(id), long)) else known
      after.map(id -> _)
    }.toMap
    LateAnswers(
      spells -- clusters ++ now,
      now.collect { case (id, spell) if began(id).isBefore(spell.first.plus(Settled)) => id }.toSet
    )
  }
}

object LateAnswers {
  val none: LateAnswers = LateAnswers()

  /** Late answers of a cluster, one after the other. A very late one begins a new spell, unless the one before was so, too.
    *
    * @param first when the first of them came
    * @param last when the last of them came
    * @param long whether that one was very late
    */
  final case class Spell(first: Instant, last: Instant, long: Boolean)

  // A healthy leader answers faster, unless it is far away. Then all its answers are late, and decide after a short time.
  private val Late = Duration.ofMillis(200)

  // Within this time a broker that thaws learns that it no longer leads.
  private val Settled = Duration.ofSeconds(2)

  // After this time without a late answer, the next one is a first one.
  private val Over = Duration.ofSeconds(10)
}
