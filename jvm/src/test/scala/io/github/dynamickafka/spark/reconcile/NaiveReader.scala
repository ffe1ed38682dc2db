package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import io.github.dynamickafka.spark.fakes.FakeKafka
import io.github.dynamickafka.spark.fakes.FakeKafka.Name
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.Deferred
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.NaiveOffsets.{Begin, Ends}
import io.github.dynamickafka.spark.reconcile.NaiveReader._
import io.github.dynamickafka.spark.reconcile.NaiveRemoval.Gone
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered

/** What a query should do, partition by partition, with full sight of the kafka: no incarnations, no offset text,
  * no questions by time.
  *
  * @param met the clusters that are known, each with where it begins, while it was not reached
  * @param topics the topics that are held, by Kafka's ids
  * @param next the next offset to read of each partition
  * @param removed the held topics that were not listed when a batch was last recorded
  * @param unread the topics that could not be seen whole yet, each with where it begins
  * @param off those of them that are not listed and of which nothing is held, and since when
  * @param doubtful those that were listed again then, and of which their cluster has said nothing since
  * @param alone the clusters without a held topic that were not listed then, and since when
  * @param absent the held topics that their cluster did not have when it was asked last, and since when
  * @param failing since when tries to read what drains have failed
  * @param ends where partitions end, by cluster
  * @param inactive the clusters that the service calls inactive
  */
final case class NaiveReader(
    policy: ReconcilePolicy,
    first: Boolean = true,
    met: Map[String, Option[Begin]] = Map.empty,
    topics: Map[Name, String] = Map.empty,
    next: Map[PartitionId, Long] = Map.empty,
    removed: Map[Name, Gone] = Map.empty,
    doubtful: Set[Name] = Set.empty,
    alone: Map[String, Instant] = Map.empty,
    unread: Map[Name, Begin] = Map.empty,
    off: Map[Name, Instant] = Map.empty,
    absent: Map[Name, Instant] = Map.empty,
    failing: Map[PartitionId, Instant] = Map.empty,
    ends: Map[String, Ends] = Map.empty,
    inactive: Set[String] = Set.empty
) {

  /** What one trigger should come to; nothing where it should fail.
    *
    * @param looked what each cluster was when it was asked
    */
  def sees(
      kafka: FakeKafka,
      answers: Map[String, ClusterObservation],
      looked: String => FakeKafka
  ): Option[Proposal] = {
    // What was removed and is listed again is recorded at once, be there anything to read or not.
    val back     = kafka.listed.keys.exists(alone.contains)
    val start    = Proposal(copy(first = false), Map.empty, urgent = first || back)
    val clusters = (met.keySet ++ kafka.listed.keySet).toVector.sorted
    val heard    = clusters.flatMap(id => heardOf(kafka, id, answers(id)).map(id -> _)).toMap
    val steps    = clusters.foldLeft(Option(start)) { (proposal, cluster) =>
      proposal.flatMap(p => clusterStep(kafka, cluster, heard.get(cluster), looked(cluster), p))
    }
    steps.map { p =>
      val reader = p.reader.forgetting(kafka, this)
      // What is off the list for a while still begins where it waited, as long as its cluster is known, and what was read of
      // it is not dropped.
      val known         = reader.unread.filter { case ((cluster, _), _) => reader.met.contains(cluster) }
      val (over, still) =
        offList(kafka, known.keySet).partition(!_._2.plus(policy.removal.retention).isAfter(kafka.now))
      val unread = known -- over.keySet
      p.copy(
        reader.copy(
          unread = unread,
          off = still,
          absent = notThere(kafka, heard, looked(_).now),
          failing = tried(kafka, reader, heard, looked(_).now)
        ),
        urgent = p.urgent || unread.exists { case (name, first) =>
          !this.unread.get(name).exists(_.same(first, name)) || off.get(name) != still.get(name)
        } ||
          reader.copy(unread = unread).neverBegun(this) ||
          otherEnds(reader)
      )
    }
  }

  private def clusterStep(
      kafka: FakeKafka,
      cluster: String,
      heard: Option[ClusterObservation],
      seen: FakeKafka,
      p: Proposal
  ): Option[Proposal] = {
    def listing = Option.when(kafka.listed.contains(cluster))(new NaiveListing(this, kafka, cluster))
    heard match {
      case Some(answer: Answered) => listing.fold(Option(p))(_.answered(answer, seen, p))
          .map(removedTopics(kafka, cluster, Some(answer), seen, _))
      // Of a cluster that is read to its end a failure concerns its drains alone.
      case Some(_) if !over(kafka, cluster) =>
        listing.fold(Option(p))(_.silent(p)).map(removedTopics(kafka, cluster, None, kafka, _))
      case _ => Some(removedTopics(kafka, cluster, None, kafka, p))
    }
  }

  /** What a query hears of a cluster: one whose part is over is asked for its drains alone, or not at all. */
  private def heardOf(kafka: FakeKafka, cluster: String, answer: ClusterObservation): Option[ClusterObservation] =
    if (!over(kafka, cluster)) Some(answer)
    else {
      val draining = topics.keySet.filter(name => name._1 == cluster && !kafka.listed(cluster)(name._2) && drains(name))
      Option.when(draining.nonEmpty)(answer match {
        case Answered(id, all) => Answered(id, all.filter { case (topic, _) => draining(cluster -> topic) })
        case failed            => failed
      })
    }

  /** Whether all that a cluster lists is read to its end, and all that it may ever list so has one. */
  private def over(kafka: FakeKafka, cluster: String): Boolean =
    ended(kafka, cluster) && names(kafka, cluster).forall(name => !removed.contains(name) && !doubtful(name))

  /** The same, though it was off the list: it is asked once more whether it still is the same topic. */
  def ended(kafka: FakeKafka, cluster: String): Boolean = {
    val all = names(kafka, cluster)
    all.nonEmpty && kafka.texts(cluster).ending == endsOf(cluster).text && all.forall(name =>
      endsOf(cluster).ofAll(cluster, name._2) && finished(name) && !unread.contains(name)
    )
  }

  private def names(kafka: FakeKafka, cluster: String): Set[Name] =
    kafka.listed.getOrElse(cluster, Set.empty).map(cluster -> _)

  /** Whether all that is held of a topic is read to its end. */
  def finished(name: Name): Boolean = {
    val held = next.keySet.filter(id => in(name)(id -> 0L))
    held.nonEmpty && held.forall(endsOf(name._1).reached(_, next))
  }

  def endsOf(cluster: String): Ends = ends.getOrElse(cluster, Ends())

  /** Since when those of these topics that wait to begin are not listed. */
  private def offList(kafka: FakeKafka, waiting: Set[Name]): Map[Name, Instant] = (for {
    name @ (cluster, topic) <- waiting if !kafka.listed.get(cluster).exists(_(topic))
    counts = !topics.contains(name) && !kafka.pauses(name) &&
      (kafka.listed.contains(cluster) || met.get(cluster).exists(_.isEmpty))
    since <- off.get(name).filterNot(_ => kafka.pauses(name)).orElse(Option.when(counts)(kafka.now))
  } yield name -> since).toMap

  /** Whether a topic that was to begin is known not to exist. */
  private def neverBegun(before: NaiveReader): Boolean =
    before.unread.keys.exists(name =>
      met.contains(name._1) && !unread.contains(name) && !topics.contains(name) && !before.topics.contains(name)
    )

  /** Whether the ends of what was known before are others now. */
  private def otherEnds(now: NaiveReader): Boolean = {
    def of(reader: NaiveReader, name: Name) = reader.endsOf(name._1).found.filter(in(name))
    met.keySet.intersect(now.met.keySet).exists(id => endsOf(id).text != now.endsOf(id).text) ||
    topics.keySet.intersect(now.topics.keySet).exists(name => of(this, name) != of(now, name))
  }

  /** The same after a batch up to these offsets. */
  def moved(to: Map[PartitionId, Long]): NaiveReader = copy(next = next ++ to)

  /** The same where a batch has deferred some of what it was to read. */
  def givingBack(back: Deferred, stopped: (String, String) => Boolean, now: Instant): NaiveReader =
    back.parts.foldLeft(this) { case (reader, (id, part)) =>
      val name = id.cluster.value -> id.topic
      val gone =
        if (stopped(name._1, name._2)) Some(reader.removed.getOrElse(name, Gone(now, Some(Map.empty), endsOf(name._1))))
        else reader.removed.get(name)
      val more = gone.map(known =>
        known.copy(targets = known.targets.map(_.updatedWith(id) {
          case Some(None)      => Some(None)
          case Some(Some(end)) => Some(Some(Math.max(end, part.until)))
          case None            => Some(Some(part.until))
        }))
      )
      reader.copy(
        next = reader.next.updated(id, part.from),
        removed = reader.removed ++ more.map(name -> _),
        doubtful = if (more.isDefined) reader.doubtful - name else reader.doubtful
      )
    }

  def has(cluster: String) = topics.keys.exists(_._1 == cluster)

  /** A cluster that is not listed is forgotten after the retention of its last topic, be that still held or deleted. */
  private def forgetting(kafka: FakeKafka, before: NaiveReader): NaiveReader = {
    val unlisted = met.keySet.filter(id => !kafka.listed.contains(id) && !has(id))
    val since    = unlisted.map(id => id -> before.alone.getOrElse(id, before.removal(id).getOrElse(kafka.now))).toMap
    val kept     = since.filter(_._2.plus(policy.removal.retention).isAfter(kafka.now))
    copy(met = met -- (unlisted -- kept.keySet), ends = ends -- (unlisted -- kept.keySet), alone = kept)
  }

  /** Since when the last topic of a cluster is not listed; nothing where that was not recorded yet. */
  private def removal(cluster: String): Option[Instant] = {
    val here = topics.keys.filter(_._1 == cluster).map(removed.get(_).map(_.at))
    if (here.exists(_.isEmpty)) None else here.flatten.maxOption
  }

  /** The held topics that were asked about and are not there. */
  private def notThere(kafka: FakeKafka, answers: Answers, asked: String => Instant): Map[Name, Instant] =
    (for {
      name @ (cluster, topic) <- topics.keySet ++ unread.keySet
      if kafka.listed.get(cluster).exists(_(topic)) || topics.contains(name) && drains(name)
      answer <- answers.get(cluster).collect { case answer: Answered => answer }
      if answer.topics.get(topic).contains(TopicObservation.Absent)
    } yield name -> absent.getOrElse(name, asked(cluster))).toMap

  /** Whether a topic has something left to read, or may have, once it is not listed. */
  def drains(name: Name): Boolean =
    removed.get(name).fold(policy.removal.policy == RemovedClusterPolicy.Drain)(_.unfinished(name, next))

  private def removedTopics(
      kafka: FakeKafka,
      cluster: String,
      answer: Option[Answered],
      seen: FakeKafka,
      p: Proposal
  ): Proposal = {
    val gone = topics.keys.filter(name => name._1 == cluster && !kafka.listed.get(cluster).exists(_(name._2)))
    gone.toVector.sorted.foldLeft(p) { (proposal, name) =>
      val removal = new NaiveRemoval(this, name, answer, seen, kafka.now)
      if (kafka.pauses(name)) removal.paused(proposal) else removal.step(proposal)
    }
  }

  /** Since when tries to read what drains have failed. A cluster that is not asked, because nothing is left, is none. */
  private def tried(
      kafka: FakeKafka,
      p: NaiveReader,
      answers: Answers,
      asked: String => Instant
  ): Map[PartitionId, Instant] = (for {
    (name @ (cluster, topic), gone) <- p.removed.toVector if p.topics.contains(name)
    if !kafka.listed.get(cluster).exists(_(topic)) && !kafka.pauses(name)
    id <- gone.left(name, p.next)
    if NaiveRemoval.fails(name, id, answers.get(cluster).collect { case answer: Answered => answer })
  } yield id -> failing.getOrElse(id, asked(cluster))).toMap

  def without(name: Name): NaiveReader =
    copy(
      topics = topics - name,
      next = next.filterNot(in(name)),
      removed = removed - name,
      doubtful = doubtful - name,
      unread = unread - name,
      ends = ends.updated(name._1, endsOf(name._1).without(name))
    )
}

object NaiveReader {
  private type Answers = Map[String, ClusterObservation]

  /** Everything begins at its earliest record. */
  val fromEarliest: Begin = Begin(None, None)

  def partition(name: Name, number: Int): PartitionId = PartitionId(ClusterId(name._1), name._2, number)

  def in(name: Name)(held: (PartitionId, Long)): Boolean =
    held._1.cluster.value == name._1 && held._1.topic == name._2
}

/** What a naive reader says of one trigger.
  *
  * @param readable how far each partition should be readable
  * @param urgent whether a batch should be recorded even if nothing is read
  */
final case class Proposal(reader: NaiveReader, readable: Map[PartitionId, Long], urgent: Boolean)
