package io.github.dynamickafka.spark.metrics

import java.time.Instant

import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metrics.Delays.Delay
import io.github.dynamickafka.spark.offsets.SourceOffset

/** The metrics of each cluster that change with the clock alone: `timeLag`, and `secondsToRetention`.
  *
  * @param waiting the clusters with records that are written and not read
  */
final case class Delays(waiting: Map[ClusterId, Delay]) {

  /** Of these clusters only. */
  def at(now: Instant): Map[String, String] = waiting.flatMap { case (id, delay) =>
    val millis = now.toEpochMilli
    Map(s"cluster.$id.timeLag" -> Math.max(0, millis - delay.since).toString) ++ delay.lostAt.map { lost =>
      s"cluster.$id.secondsToRetention" -> (Math.max(0, lost - millis) / 1000).toString
    }
  }
}

object Delays {
  val none: Delays = Delays(Map.empty)

  /** Times in milliseconds since the epoch.
    *
    * @param since when the worst partition was last known to have nothing to read, or read a record
    * @param lostAt when retention deletes records that are not read, as far as is known
    */
  final case class Delay(since: Long, lostAt: Option[Long]) {
    def and(other: Delay): Delay = Delay(Math.min(since, other.since), (lostAt ++ other.lostAt).minOption)
  }

  /** @param offset what the query has read */
  def of(last: LastStep, state: DriverState, offset: SourceOffset): Delays = Delays(
    state.backlog.waiting(offset).map { topic =>
      // As in the backlog, a topic that waits for its successor counts for that cluster.
      last.reconciled.roles.successor(topic.cluster, topic.topic).getOrElse(topic.cluster) ->
        Delay(topic.since, topic.lostAt)
    }.toVector.groupMapReduce(_._1)(_._2)(_.and(_))
  )
}
