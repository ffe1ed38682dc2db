package io.github.dynamickafka.spark.metrics

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.backlog.CatchUpRate
import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, Removal, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.report.Notice

/** The figures of all clusters after one step.
  *
  * @param texts the metrics that stay as they are until the next step or batch, by name
  * @param pending how many offsets are not read of each cluster
  * @param partitions how many each cluster has
  */
final case class ClusterFigures(
    texts: SortedMap[String, String],
    pending: Map[ClusterId, Long],
    partitions: Map[ClusterId, Int],
    delays: Delays
) {

  /** @param read how many offsets of each cluster were read since the start */
  def seen(read: Map[ClusterId, Long]): Map[ClusterId, CatchUpRate.Seen] = pending.map { case (id, backlog) =>
    id -> CatchUpRate.Seen(backlog, read.getOrElse(id, 0L), partitions.getOrElse(id, 0))
  }
}

object ClusterFigures {

  /** @param consumed what the query has read, if it had a batch
    * @param rates offsets per second
    */
  def of(
      last: LastStep,
      state: DriverState,
      consumed: Option[SourceOffset],
      rates: Map[ClusterId, Double]
  ): ClusterFigures = {
    val offset  = present(last.reconciled.offset, consumed)
    val states  = ClusterState.of(last, offset)
    val behind  = lags(state, last, offset).filter { case (id, _) => states.contains(id) }
    val pending = states.map { case (id, _) => id -> behind.get(id).fold(0L)(_.sum) }
    val active  = offset.clusters.iterator.collect { case (id, held) if states.contains(id) => reading(held) }.sum
    val causes  = ClusterCause.of(last, state, offset)
    val delays  = Delays(Delays.of(last, state, offset).waiting.filter { case (id, _) => states.contains(id) })
    val unheard = last.reconciled.unavailable -- state.backlog.answered.keySet
    val totals  = SortedMap(
      "kafkaClustersCount"  -> states.size.toString,
      "activeSplitCount"    -> active.toString,
      "pendingRecords"      -> pending.values.sum.toString,
      "unavailableClusters" -> states.count(_._2 == ClusterState.Unavailable).toString
    )
    val texts = totals ++ missing(last) ++ spread(behind.valuesIterator.flatten.toVector, active) ++ states.flatMap {
      case (id, name) =>
        ofCluster(id, name, pending(id), rates.get(id), delays.waiting.contains(id) || unheard(id)) ++
          causes.get(id).map(s"cluster.$id.cause" -> _)
    }
    ClusterFigures(texts, pending, offset.clusters.transform((_, held) => partitions(held)), delays)
  }

  private def partitions(cluster: ClusterOffset): Int = cluster.topics.valuesIterator.map(_.partitions.size).sum

  private def missing(last: LastStep): Map[String, String] = {
    val streams = last.survey.topology.unknown.toVector.map(_.value)
    val topics  = last.reconciled.notices.collect { case Notice.MissingTopic(cluster, topic) => cluster -> topic }
    val names   = topics.groupMap(_._1)(_._2).toVector.sortBy(_._1).map { case (cluster, here) =>
      s"$cluster: ${here.sorted.mkString(", ")}"
    }
    Map("missingTopics" -> topics.size.toString, "missingStreams" -> streams.size.toString) ++
      Option.when(names.nonEmpty)("missingTopicNames" -> Shortened(names.mkString("; "))) ++
      Option.when(streams.nonEmpty)("missingStreamNames" -> Shortened(streams.mkString(", ")))
  }

  // A removal is recorded with the next batch, which may come much later. So the listed clusters come from the last
  // step, and only the positions from what the query has read.
  private def present(known: SourceOffset, consumed: Option[SourceOffset]): SourceOffset =
    consumed.fold(known) { read =>
      known.copy(clusters = known.clusters.transform { (id, cluster) =>
        val there = read.clusters.get(id).fold(SortedMap.empty[String, TopicOffset])(_.topics)
        cluster.copy(topics = cluster.topics.transform((name, topic) => there.get(name).fold(topic)(upTo(topic, _))))
      })
    }

  private def upTo(topic: TopicOffset, read: TopicOffset): TopicOffset =
    if (read.partitions eq topic.partitions) topic
    else topic.copy(partitions = topic.partitions.transform { (partition, held) =>
      read.partitions.get(partition)
        .filter(there => there.incarnation == held.incarnation && there.next > held.next)
        .fold(held)(there => held.copy(next = there.next))
    })

  /** @param late whether its time lag is not 0: records wait, or nobody knows, because it has not answered since the start
    */
  private def ofCluster(
      id: ClusterId,
      state: ClusterState,
      pending: Long,
      rate: Option[Double],
      late: Boolean
  ): Map[String, String] =
    Map(s"cluster.$id.state" -> state.name, s"cluster.$id.pendingRecords" -> pending.toString) ++
      rate.map(perSecond => s"cluster.$id.recordsPerSecond" -> f"$perSecond%.1f".replace(',', '.')) ++
      Option.unless(late)(s"cluster.$id.timeLag" -> "0") ++
      Option.when(pending == 0 && !late)(s"cluster.$id.secondsToCatchUp" -> "0")

  /** How far each partition with a backlog is behind. A topic that waits for its successor counts for that cluster. */
  private def lags(state: DriverState, last: LastStep, offset: SourceOffset): Map[ClusterId, Vector[Long]] = {
    val lags = for {
      (id, name, here)   <- state.known.horizon.topics
      topic              <- offset.clusters.get(id).flatMap(_.topics.get(name)).iterator
      (partition, until) <- here.iterator
      lag = topic.partitions.get(partition).fold(0L)(held => until - held.next) if lag > 0
    } yield last.reconciled.roles.successor(id, name).getOrElse(id) -> lag
    lags.toVector.groupMap(_._1)(_._2)
  }

  // Names and meanings are those of Spark's own Kafka source: over all partitions that are read.
  private def spread(behind: Vector[Long], active: Int): Map[String, String] =
    if (active == 0) Map.empty
    else Map(
      "minOffsetsBehindLatest" -> (if (behind.size < active) 0L else behind.min).toString,
      "maxOffsetsBehindLatest" -> behind.maxOption.getOrElse(0L).toString,
      "avgOffsetsBehindLatest" -> (behind.sum.toDouble / active).toString
    )

  /** How many partitions are read: of a removed topic, those that still drain. */
  private def reading(cluster: ClusterOffset): Int = cluster.topics.valuesIterator.map { topic =>
    topic.removal match {
      case None | Some(_: Removal.ListedAgain) => topic.partitions.size
      case Some(_)                             => topic.unread.keysIterator.count(topic.partitions.contains)
    }
  }.sum
}
