package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import io.github.dynamickafka.spark.fakes.FakeKafka
import io.github.dynamickafka.spark.fakes.FakeKafka.Name
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.options.UnavailableClusterPolicy
import io.github.dynamickafka.spark.reconcile.NaiveOffsets.{Begin, Ends}
import io.github.dynamickafka.spark.reconcile.NaiveReader._
import io.github.dynamickafka.spark.reconcile.observed.{ReadObstacle, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Hidden, Present}

/** What a naive reader should do about the topics that are listed of one cluster.
  *
  * @param known what it knew before the trigger
  */
final class NaiveListing(known: NaiveReader, kafka: FakeKafka, cluster: String) {
  import known.policy

  private val listed = kafka.listed(cluster)
  private val own    = kafka.texts(cluster)

  private def fails = policy.unavailable == UnavailableClusterPolicy.Fail && !known.ended(kafka, cluster)

  private def reads = listed.exists(topic => !kafka.pauses(cluster -> topic))

  /** It does not answer. */
  def silent(p: Proposal): Option[Proposal] = Option.unless(fails && reads) {
    val here = listed.map(cluster -> _)
    val back = p.copy(
      reader = p.reader.copy(
        removed = p.reader.removed -- here,
        doubtful = p.reader.doubtful ++ here.filter(p.reader.removed.contains),
        ends = p.reader.ends.updated(cluster, p.reader.endsOf(cluster).under(own.ending))
      ),
      urgent = p.urgent || here.exists(p.reader.removed.contains)
    )
    val met = if (known.met.contains(cluster)) back.reader.met else back.reader.met.updated(cluster, Some(now))
    back.copy(
      here.filterNot(known.topics.contains).foldLeft(back.reader.copy(met = met))((r, name) => waits(name, r)),
      urgent = back.urgent || !known.met.contains(cluster)
    )
  }

  /** @param seen what it answered of */
  def answered(answer: Answered, seen: FakeKafka, p: Proposal): Option[Proposal] = {
    val met  = known.met.get(cluster).exists(_.isEmpty)
    val ends = p.reader.endsOf(cluster).under(own.ending)
    val here = p.copy(
      p.reader.copy(met = p.reader.met.updated(cluster, None), ends = p.reader.ends.updated(cluster, ends)),
      urgent = p.urgent || !met
    )
    listed.toVector.sorted.foldLeft(Option(here)) { (proposal, topic) =>
      proposal.flatMap(topicOf(cluster -> topic, answer.topics.get(topic), seen, _))
    }
  }

  private def topicOf(name: Name, answer: Option[TopicObservation], seen: FakeKafka, p: Proposal): Option[Proposal] =
    if (kafka.pauses(name)) {
      val same = answer.exists {
        case present: Present => known.topics.get(name).exists(present.kafkaId.contains(_))
        case _                => false
      }
      val back = returned(name, same, p)
      Some(back.copy(answer match {
        case Some(present: Present) if !known.topics.contains(name) =>
          waits(name, numbers(present) ++ unseen(name), back.reader)
        case Some(present: Present) if known.topics.get(name) == present.kafkaId =>
          seenWhole(name, numbers(present), another = false, back.reader)
        case Some(Absent) if !known.topics.contains(name) =>
          if (missingSince(name, seen.now)) back.reader.copy(unread = back.reader.unread - name) else back.reader
        case _ if known.topics.contains(name) => back.reader
        case _                                => waits(name, back.reader)
      }))
    } else answer match {
      case Some(present: Present) => present_(name, present, seen, returned(name, known = true, p))
      case Some(Hidden) if fails  => None
      case Some(Hidden)           =>
        val back = returned(name, known = false, p)
        Some(if (known.topics.contains(name)) back else back.copy(waits(name, back.reader)))
      case Some(Absent) if deleted(name, seen.now, p) => None
      case missing                                    =>
        val back = returned(name, known = false, p)
        // It appears later, then.
        val gone = missing.contains(Absent) && !known.topics.contains(name) && missingSince(name, seen.now)
        Some(if (gone) back.copy(back.reader.copy(unread = back.reader.unread - name)) else back)
    }

  /** Whether a topic that is listed, and is not there, counts as loss. */
  private def deleted(name: Name, asked: Instant, p: Proposal): Boolean =
    policy.failOnDataLoss && known.topics.contains(name) && !known.removed.contains(name) && !known.doubtful(name) &&
      missingSince(name, asked) &&
      !(p.reader.finished(name) && !known.unread.contains(name))

  private def missingSince(name: Name, asked: Instant): Boolean =
    known.absent.get(name).exists(!_.plus(policy.agreement).isAfter(asked))

  /** A topic that is listed.
    *
    * @param known whether its cluster has shown which topic it is now
    */
  private def returned(name: Name, known: Boolean, p: Proposal): Proposal = {
    val gone   = this.known.removed.contains(name)
    val doubts = if (known) p.reader.doubtful - name else p.reader.doubtful ++ Set(name).filter(_ => gone)
    p.copy(
      p.reader.copy(removed = p.reader.removed - name, doubtful = doubts),
      urgent = p.urgent || gone || known && this.known.doubtful(name)
    )
  }

  /** What decides where that begins of which nothing could be seen before. */
  private def rule: Begin = {
    val mine = own.starting.map(_.rule)
    known.met.get(cluster) match {
      case None                => Begin(mine, Some(if (known.first) policy.starting else policy.newCluster))
      case Some(Some(waiting)) => waiting
      // Of a cluster that was met what appears is named by topic, or begins at its earliest record.
      case Some(None) => appearing
    }
  }

  private def appearing: Begin = Begin(own.starting.map(_.rule.copy(default = None)), None)

  /** The same, of what can't be seen now either. */
  private def now: Begin = if (rule.ends.isDefined) rule else rule.copy(ends = Some(ends))

  private def ends: Map[(String, Int), Long] = kafka.topics.collect {
    case ((`cluster`, _), topic) => topic.logs.indices.map(n => (topic.id, n) -> topic.logs(n).latest)
  }.flatten.toMap

  /** What can't be seen yet begins by the rule of now. */
  private def waits(name: Name, reader: NaiveReader): NaiveReader =
    reader.copy(unread = reader.unread.updated(name, known.unread.getOrElse(name, now)))

  private def present_(name: Name, present: Present, seen: FakeKafka, p: Proposal): Option[Proposal] = {
    val id             = present.kafkaId.getOrElse("")
    val another        = known.topics.get(name).exists(_ != id)
    val lost           = another && policy.failOnDataLoss && !known.removed.contains(name) && !known.doubtful(name)
    val kept           = if (another) p.reader.next.filterNot(in(name)) else p.reader.next
    val logs           = seen.topics(name).logs
    def begins(n: Int) = known.unread.get(name).fold(rule)(first => if (first.countsFor(n)) first else appearing)
    val begun          = for {
      (n, extent) <- present.partitions if !kept.contains(partition(name, n))
      here = partition(name, n)
    } yield here -> (if (another) extent.earliest else begins(n).at(here, id, extent, logs(n)))
    val all    = kept ++ begun
    val before = p.reader.endsOf(cluster)
    val ends = present.partitions.foldLeft(if (another) before.without(name) else before) { case (ends, (n, extent)) =>
      ends.seeing(partition(name, n), extent, logs(n))
    }
    val aged = for {
      (n, extent) <- present.partitions
      here = partition(name, n)
      to   = Math.min(extent.earliest, ends.found.getOrElse(here, Long.MaxValue)) if all(here) < to
    } yield here -> to
    val next = all ++ aged
    if (lost || aged.nonEmpty && policy.failOnDataLoss || fails && hampered(name, present, next, ends).nonEmpty) None
    else {
      val reader = p.reader.copy(
        topics = p.reader.topics.updated(name, id),
        next = next,
        ends = p.reader.ends.updated(cluster, ends)
      )
      val read = for {
        (n, extent) <- present.partitions if !present.obstacle.failed(n)
        here = partition(name, n)
        to   = Math.min(extent.latest, ends.found.getOrElse(here, Long.MaxValue)) if next(here) < to
      } yield here -> to
      Some(Proposal(
        seenWhole(name, present.obstacle.partitions.keySet.toSet, another, reader),
        p.readable ++ read,
        p.urgent || kept.size < p.reader.next.size || begun.nonEmpty || aged.nonEmpty
      ))
    }
  }

  /** What stands in the way of reading a topic, but for what is read to its end. A first start names all. */
  private def hampered(name: Name, present: Present, next: Map[PartitionId, Long], ends: Ends): ReadObstacle = {
    val all = next.keySet.filter(id => in(name)(id -> 0L)) ++
      present.obstacle.partitions.keySet.map(partition(name, _))
    val left = present.obstacle.of(n => !ends.reached(partition(name, n), next))
    if (!known.first && all.nonEmpty && all.forall(ends.reached(_, next))) ReadObstacle.none else left
  }

  private def seenWhole(name: Name, some: Set[Int], another: Boolean, reader: NaiveReader): NaiveReader = {
    val known = some ++ (if (another) Set.empty else unseen(name))
    val open  = known.filterNot(n => reader.next.contains(partition(name, n)))
    if (open.isEmpty) reader.copy(unread = reader.unread - name)
    // Of a topic that was created again all is new.
    else if (another)
      reader.copy(unread = reader.unread.updated(name, fromEarliest.copy(ends = Some(ends), some = Some(open))))
    else waits(name, open, reader)
  }

  private def numbers(present: Present): Set[Int] =
    (present.partitions.keySet ++ present.obstacle.partitions.keySet).toSet

  /** What was seen of a topic earlier, and has not begun. */
  private def unseen(name: Name): Set[Int] = known.unread.get(name).flatMap(_.some).getOrElse(Set.empty)

  private def waits(name: Name, some: Set[Int], reader: NaiveReader): NaiveReader = {
    val whole = waits(name, reader)
    whole.copy(unread = whole.unread.updatedWith(name)(_.map(_.of(some, appearing))))
  }
}
