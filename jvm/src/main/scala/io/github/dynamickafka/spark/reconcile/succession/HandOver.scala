package io.github.dynamickafka.spark.reconcile.succession

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.Situation
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** The positions that go over to another cluster id in one step.
  *
  * A position is handed over when the id that is to read on has answered: before, it is held where it is. Nothing drains.
  *
  * @param gained what is held from now on under another id, by cluster and topic
  * @param gone what is held under that id no more
  * @param kept what stays where it is held, and what was found out about its mirrors
  * @param notices by the cluster that is to read on
  * @param moves what is in `gained`, with the ids that held it
  */
final case class HandOver(
    gained: Map[(ClusterId, String), TopicOffset] = Map.empty,
    gone: Set[(ClusterId, String)] = Set.empty,
    kept: Map[(ClusterId, String), TopicOffset] = Map.empty,
    notices: Map[ClusterId, Vector[Notice]] = Map.empty,
    moves: Vector[HandedOver] = Vector.empty
) {

  /** What is held of a cluster's topics, as this step begins with it. */
  def topics(cluster: ClusterId, before: SortedMap[String, TopicOffset]): SortedMap[String, TopicOffset] =
    if (gained.isEmpty && gone.isEmpty && kept.isEmpty) before
    else
      before.filterNot { case (name, _) => gone(cluster -> name) } ++
        (kept ++ gained).collect { case ((`cluster`, name), topic) => name -> topic }
}

object HandOver {

  def of(situation: Situation, roles: Roles, duplicates: Duplicates): HandOver = {
    val steps   = new Handing(situation, duplicates)
    val doubles = HandOver(gone = roles.doubles)
    roles.successions.toVector.sortBy { case (id, name, _) => (id, name) }.foldLeft(doubles) {
      case (all, (id, name, from)) => steps.step(all, id, name, from)
    }
  }

  /** How a partition goes on: where, and how many records that the old id had are known to be missing. */
  final private[reconcile] case class GoesOn(start: Long, missing: Long)
}

/** Takes these steps. */
final private class Handing(situation: Situation, duplicates: Duplicates) {
  import HandOver.GoesOn

  def step(all: HandOver, id: ClusterId, name: String, from: ClusterId): HandOver = {
    val topic  = situation.held.clusters(from).topics(name)
    val paused = situation.topology.clusters(id).pause.holds(name)
    present(id, name).filterNot(seen => paused || duplicates.other(id, name, seen.kafkaId, from).isDefined) match {
      case None                             => all
      case Some(_) if sameKafka(id, from)   => moved(all, id, name, from, renamed(topic, from, id))
      case Some(seen) if waits(topic, seen) => all
      case Some(seen)                       => mirrored(all, id, name, from, seen)
    }
  }

  private def present(id: ClusterId, name: String): Option[Present] =
    situation.recognised.get(id).flatMap(_.present(name))

  private def sameKafka(id: ClusterId, from: ClusterId): Boolean = {
    val theirs = situation.held.clusters.get(from).flatMap(_.kafkaId)
    theirs.isDefined && theirs == situation.kafkaId(id)
  }

  private def moved(all: HandOver, id: ClusterId, name: String, from: ClusterId, topic: TopicOffset): HandOver =
    all.copy(
      gained = all.gained.updated(id -> name, topic),
      gone = all.gone + (from -> name),
      moves = all.moves :+ HandedOver(id, from, name)
    )

  /** The same topic of the same Kafka cluster: whether it was created again meanwhile is found out as for any other. */
  private def renamed(topic: TopicOffset, from: ClusterId, to: ClusterId): TopicOffset =
    begun(topic, from, to, topic.partitions.transform((_, position) => position.next))

  private def begun(topic: TopicOffset, from: ClusterId, to: ClusterId, starts: SortedMap[Int, Long]): TopicOffset =
    topic.copy(
      partitions = starts.transform((partition, start) =>
        PartitionOffset(start, start, topic.partitions(partition).incarnation + 1)
      ),
      ends = SortedMap.empty,
      formers = topic.formers + from - to,
      behind = SortedMap.empty
    )

  // Of a partition whose leader says nothing nobody knows how far the mirror has got.
  private def waits(topic: TopicOffset, seen: Present): Boolean = topic.partitions.keysIterator.exists(partition =>
    seen.hindrance.partitions.contains(partition) && !seen.partitions.contains(partition)
  )

  private def mirrored(all: HandOver, id: ClusterId, name: String, from: ClusterId, seen: Present): HandOver = {
    val topic = situation.held.clusters(from).topics(name)
    val steps = topic.partitions.collect {
      case (partition, position) if seen.partitions.contains(partition) =>
        partition -> goesOn(PartitionId(id, name, partition), from, topic, position, seen)
    }
    val behind = steps.collect { case (partition, Left(end)) => partition -> end }
    // A partition that the mirror does not report is not known to be missing there: it is waited for.
    val unseen = topic.partitions.collect {
      case (partition, position) if !steps.contains(partition) && position.next > 0 => partition -> 0L
    }
    if (behind.nonEmpty || unseen.nonEmpty) {
      val ends = (behind ++ unseen).transform((partition, end) => topic.partitions(partition).next -> end)
      // What was found before stays, also where this answer leaves the partition out.
      val found = topic.behind.getOrElse(id, SortedMap.empty[Int, Long]) ++ behind
      val kept  = if (found.isEmpty) topic else topic.copy(behind = topic.behind.updated(id, found))
      noted(all.copy(kept = all.kept.updated(from -> name, kept)), id, Notice.MirrorBehind(id, from, name, ends))
    } else {
      val going   = steps.collect { case (partition, Right(step)) => partition -> step }
      val missing = going.valuesIterator.map(_.missing).sum
      val goesOn  = begun(topic, from, id, going.transform((_, step) => step.start))
      val over    = moved(all, id, name, from, goesOn.copy(kafkaId = None, removal = None))
      if (missing > 0) noted(over, id, Notice.LeftBehind(id, from, name, missing)) else over
    }
  }

  private def noted(all: HandOver, id: ClusterId, notice: Notice): HandOver =
    all.copy(notices = all.notices.updated(id, all.notices.getOrElse(id, Vector.empty) :+ notice))

  /** Where a mirror's partition goes on; else the end that was found of it, below the position. That it has got there
    * meanwhile says nothing: producers may have filled the gap.
    */
  private def goesOn(
      id: PartitionId,
      from: ClusterId,
      topic: TopicOffset,
      position: PartitionOffset,
      seen: Present
  ): Either[Long, GoesOn] = {
    val now    = seen.partitions(id.partition).written
    val before = situation.known.mirrors.get(id.cluster -> id.topic).flatMap(_.get(id.partition))
    val found  = topic.behind.get(id.cluster).flatMap(_.get(id.partition))
    val least  = (Seq(now) ++ before ++ found).min
    val ended  = Mirror.ended(situation.topology.clusters(id.cluster), id, Math.min(position.start, least))
    if (least < position.next && ended.isEmpty) Left(least)
    else {
      val start = ended.fold(position.next)(Math.min(_, position.next))
      val had   = situation.known.end(id.copy(cluster = from)).getOrElse(0L)
      Right(GoesOn(start, missing = Math.max(0L, had - Math.max(position.next, ended.getOrElse(now)))))
    }
  }
}
