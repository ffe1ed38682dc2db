package io.github.dynamickafka.spark.bench

import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.fakes.{Query, Seen, Situations}
import io.github.dynamickafka.spark.fakes.Situations.{AnswerWords, TopicWords}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** Many clusters with one topic each, as values: the metadata, and the brokers' answers at two triggers. */
final private[bench] class ScriptedClusters(clusters: Int, partitions: Int) {
  // As many digits as offsets have after a few years.
  private val Oldest = 1000000000

  private val names = (0 until clusters).map(number => f"cluster-$number%04d")

  private val topology: Topology = Situations.listed(names.map(_ -> Situations.topics("orders")): _*)

  /** A query that has read everything. */
  private val before: Query = Query(Situations.fromEarliest).sees(topology)(answers(1000, 1): _*).read

  /** The partitions have different lags. */
  private val now: Seq[(String, ClusterObservation)] = answers(5000, 7)

  val partitionCount: Int = clusters * partitions

  /** The next trigger of that query, up to the reconciler's answer. */
  def seen(): Seen = before.sees(topology)(now: _*)

  /** That trigger as the driver remembers it. */
  def stepped(seen: Seen): DriverState = {
    val survey = ClusterSurvey(topology, seen.input.seen, seen.input.answers, seen.input.now)
    DriverState().stepped(LastStep(seen.query.held, survey, seen.step, quiet = false))
  }

  private def answers(least: Int, more: Int): Seq[(String, ClusterObservation)] = names.map { name =>
    val ends = (0 until partitions).map(number => Oldest -> (Oldest + least + more * number))
    name -> Situations.answer("orders" -> Situations.has(ends: _*).of(s"T-$name")).of(s"K-$name")
  }
}
