package io.github.dynamickafka.spark.reconcile.succession

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, TopicId}
import io.github.dynamickafka.spark.offsets.{Drain, MirrorLag, PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.StepInput
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Present}
import io.github.dynamickafka.spark.reconcile.report.Notice

/** The positions that are handed over to another cluster id in one step.
  *
  * A position moves as soon as its new id has answered. Until then it stays under the old id. The old id does not drain.
  *
  * @param changed the topics of which something else is held from now on, by cluster and name; none: nothing is held
  */
final case class HandOver(
    changed: Map[(ClusterId, String), Option[TopicOffset]] = Map.empty,
    notices: Vector[Notice] = Vector.empty
) {

  /** What is held of a cluster's topics, as this step begins with it. */
  def topics(cluster: ClusterId, before: SortedMap[String, TopicOffset]): SortedMap[String, TopicOffset] =
    changed.foldLeft(before) { case (all, ((id, name), now)) =>
      if (id == cluster) all.updatedWith(name)(_ => now) else all
    }

  private def and(more: HandOver): HandOver = HandOver(changed ++ more.changed, notices ++ more.notices)
}

object HandOver {
  def of(input: StepInput, duplicates: Duplicates): HandOver =
    input.roles.successions.toVector.sorted.foldLeft(HandOver(notices = Joins.notices(input))) {
      case (all, (id, name, from)) => all.and(new Succession(id, name, from, input, duplicates).handOver)
    }

  /** Where a partition continues, and how many records of the old id are known to be missing there. */
  final private case class GoesOn(start: Long, missing: Long)

  /** One topic whose position is to be handed over.
    *
    * @param id that is to read it
    * @param from the id that holds the position
    */
  final private class Succession(
      id: ClusterId,
      name: String,
      from: ClusterId,
      input: StepInput,
      duplicates: Duplicates
  ) {
    private val topic  = input.held.clusters(from).topics(name)
    private val mirror = input.topology.clusters(id)

    // What was found of this mirror when it was to take over, as far as it still counts.
    private val found = topic.behind.getOrElse(id, SortedMap.empty[Int, MirrorLag]).filter { case (partition, lag) =>
      topic.partitions.get(partition).exists(at => lag.isAt(at.next))
    }

    def handOver: HandOver = input.recognised.get(id).flatMap(_.topic(name)) match {
      // The topic's own step finds out whether it was created again, or what of it is lost.
      case Some(seen: Present) if sameKafka && !waits(seen.kafkaId)                      => renamed
      case Some(Absent) if sameKafka && !waits(topic.kafkaId)                            => renamed
      case Some(seen: Present) if !sameKafka && !waits(seen.kafkaId) && !undecided(seen) => mirrored(seen)
      case _                                                                             => HandOver()
    }

    private def waits(topicId: Option[String]): Boolean =
      mirror.pause.holds(name) || duplicates.other(id, name, topicId, Some(from)).isDefined

    private def renamed: HandOver = moved(topic.partitions.transform((_, position) => position.next))

    private val sameKafka = input.basis.renamedFrom(id, name, input.kafkaId(id)).isDefined

    // While a partition's leader is silent, nobody knows how far the mirror has got.
    private def undecided(seen: Present): Boolean = topic.partitions.keysIterator.exists(partition =>
      seen.obstacle.partitions.contains(partition) && !seen.partitions.contains(partition)
    )

    // A mirror has topics of its own: Kafka's id of the topic, its leader epochs, and its removal mean nothing there.
    private def moved(starts: SortedMap[Int, Long]): HandOver = {
      def kept[A](known: Option[A]): Option[A] = known.filter(_ => sameKafka)
      val begun                                = topic.copy(
        kafkaId = kept(topic.kafkaId),
        partitions = starts.transform((partition, start) =>
          PartitionOffset(start, start, incarnation(partition), kept(topic.partitions(partition).epoch))
        ),
        removal = kept(topic.removal),
        formers = formers(starts),
        formerTopics = topic.formerTopics ++ topic.kafkaId.map(from -> _) - id,
        beside = topic.beside - id,
        // Under all its ids it has what it goes on with.
        behind =
          (if (sameKafka) topic.behind else topic.behind ++ cutOff) -- (input.held.sameKafka(input.kafkaId(id)) + id)
      )
      HandOver(Map((id, name) -> Some(begun), (from, name) -> None))
    }

    // Where the log of the old id seems to be cut off, which no later answer of it has settled.
    private def cutOff: Map[ClusterId, SortedMap[Int, MirrorLag]] = {
      val ends = for {
        (partition, log) <- input.known.suspectedLosses.cuts(TopicId(from, name))
        position         <- topic.partitions.get(partition) if log.isOf(position) && log.lowest < position.next
      } yield partition -> MirrorLag(log.lowest, position.next)
      Map(from -> ends.to(SortedMap)).filter(_._2.nonEmpty)
    }

    // What is below the new start is the same log for all of them. Some may have read nothing of it.
    private def formers(starts: SortedMap[Int, Long]): SortedMap[ClusterId, SortedMap[Int, Long]] = {
      val known =
        (input.continued(id) ++ topic.formers - id).updated(from, topic.partitions.transform((_, at) => at.next))
      known.transform((_, ends) =>
        ends.transform((partition, end) => starts.get(partition).fold(end)(Math.min(_, end)))
      )
    }

    // Higher than any incarnation that the new id has held of this partition, whenever it was read there.
    private def incarnation(partition: Int): Int =
      Math.max(topic.partitions(partition).incarnation + 1, input.held.nextIncarnation)

    private def mirrored(seen: Present): HandOver = {
      // A partition that the mirror does not report may still come: wait for it. One without a record before its position
      // has nothing to wait for.
      val steps = topic.partitions.transform { (partition, position) =>
        if (position.next == 0 && !seen.partitions.contains(partition)) Right(GoesOn(0, had(partition)))
        else goesOn(partition, position, seen)
      }
      val behind = steps.collect { case (partition, Left(end)) => partition -> end }
      if (behind.nonEmpty) lags(behind, seen)
      else {
        val going   = steps.collect { case (partition, Right(step)) => partition -> step }
        val missing = going.valuesIterator.map(_.missing).sum
        val below   = going.collect {
          case (partition, step) if step.start < topic.partitions(partition).next =>
            partition -> (topic.partitions(partition).next -> step.start)
        }
        // A line that begins lower than reading does.
        val unused = for {
          (partition, step) <- going
          line              <- Mirror.line(mirror, PartitionId(id, name, partition)) if line < step.start
        } yield partition -> (line -> step.start)
        val notices = Vector(Notice.LeftBehind(id, from, name, missing)).filter(_.records > 0) ++
          Vector(Notice.BelowPosition(id, from, name, below)).filter(_.partitions.nonEmpty) ++
          Vector(Notice.EarlierLine(id, from, name, unused)).filter(_.partitions.nonEmpty)
        moved(going.transform((_, step) => step.start)).copy(notices = notices)
      }
    }

    private def lags(behind: SortedMap[Int, Long], seen: Present): HandOver = {
      val ends = behind.transform((partition, end) => topic.partitions(partition).next -> end)
      // Keep what was found before, even if this answer leaves the partition out.
      val now = behind.filter { case (partition, _) => seen.partitions.contains(partition) }.transform {
        (partition, end) => MirrorLag(end, topic.partitions(partition).next)
      }
      val all  = MirrorLag.joined(found, now)
      val kept = if (all.isEmpty) topic else topic.copy(behind = topic.behind.updated(id, all)).withoutPastLags
      HandOver(Map((from, name) -> Some(kept)), Vector(Notice.MirrorBehind(id, from, name, ends)))
    }

    /** Where a mirror's partition continues; or its end, if that was ever found below the position. Even if the mirror
      * has reached the position by now, the end counts: producers may have filled the gap.
      *
      * @param seen what the mirror answers now
      */
    private def goesOn(partition: Int, position: PartitionOffset, seen: Present): Either[Long, GoesOn] = {
      val answer = seen.partitions.get(partition).map(_.written)
      val now    = answer.getOrElse(0L)
      val known  = found.get(partition).map(_.end) ++
        Mirror.standby(input.known.mirrors, input.basis, id, PartitionId(from, name, partition))
      val least = (known ++ Some(now)).min
      // If an answer leaves the partition out, the mirror may still have records of it.
      val ended = Mirror.ended(mirror, PartitionId(id, name, partition), topic, known ++ answer, seen.kafkaId)
      // It has not got yet what the line says that it has.
      val short = ended.exists(line => now < Math.min(line, position.next))
      if (short || least < position.next && ended.isEmpty) Left(least)
      else {
        val own = Math.max(position.next, ended.getOrElse(least))
        Right(GoesOn(ended.fold(position.next)(Math.min(_, position.next)), Math.max(0L, had(partition) - own)))
      }
    }

    /** Where the log of the old id ended. */
    private def had(partition: Int): Long = {
      val target = topic.removal.map(_.drain(partition)).collect { case Drain.Until(end) => end }
      (target ++ input.known.horizon.get(PartitionId(from, name, partition))).maxOption.getOrElse(0L)
    }
  }
}
