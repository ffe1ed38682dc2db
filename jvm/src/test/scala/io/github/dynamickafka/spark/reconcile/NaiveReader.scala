package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import io.github.dynamickafka.spark.fakes.FakeKafka
import io.github.dynamickafka.spark.fakes.FakeKafka.Name
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule}
import io.github.dynamickafka.spark.options.{RemovedClusterPolicy, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.reconcile.NaiveMemory._
import io.github.dynamickafka.spark.reconcile.NaiveReader._
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Hidden, Present}

/** What a query should do, partition by partition, with full sight of the kafka: no incarnations, no offset text,
  * no questions by time.
  *
  * @param met the clusters that are known, each with where it began to wait, while it was not reached
  * @param topics the topics that are held, by Kafka's ids
  * @param next the next offset to read of each partition
  * @param removed the held topics that were not listed when a batch was last recorded
  * @param unread the topics that could not be seen whole yet, each with where it began to wait
  * @param doubtful those that were listed again then, and of which their cluster has said nothing since
  * @param alone the clusters without a held topic that were not listed then, and since when
  * @param absent the held topics that their cluster did not have when it was asked last, and since when
  * @param failing since when tries to read what drains have failed
  * @param inactive the clusters that the service calls inactive
  */
final case class NaiveReader(
    policy: ReconcilePolicy,
    first: Boolean = true,
    met: Map[String, Option[Waiting]] = Map.empty,
    topics: Map[Name, String] = Map.empty,
    next: Map[PartitionId, Long] = Map.empty,
    removed: Map[Name, Gone] = Map.empty,
    doubtful: Set[Name] = Set.empty,
    alone: Map[String, Instant] = Map.empty,
    unread: Map[Name, Waiting] = Map.empty,
    absent: Map[Name, Instant] = Map.empty,
    failing: Map[PartitionId, Instant] = Map.empty,
    inactive: Set[String] = Set.empty
) {

  /** What one trigger should come to; nothing where it should fail.
    *
    * @param asked when each cluster was asked
    */
  def sees(kafka: FakeKafka, answers: Map[String, ClusterObservation], asked: String => Instant): Option[Proposal] = {
    // What was removed and is listed again is recorded at once, be there anything to read or not.
    val back     = kafka.listed.keys.exists(alone.contains)
    val start    = Proposal(copy(first = false), Map.empty, urgent = first || back)
    val clusters = (met.keySet ++ kafka.listed.keySet).toVector.sorted
    val steps    = clusters.foldLeft(Option(start)) { (proposal, cluster) =>
      proposal.flatMap(p =>
        answers(cluster) match {
          case answer: Answered =>
            listedTopics(
              kafka,
              cluster,
              answer,
              asked(cluster),
              p
            ).map(removedTopics(kafka, cluster, Some(answer), asked(cluster), _))
          case _ => silent(kafka, cluster, p).map(removedTopics(kafka, cluster, None, kafka.now, _))
        }
      )
    }
    steps.map { p =>
      val reader = p.reader.forgetting(kafka, this)
      // What is off the list for a while still begins where it waited, as long as its cluster is known.
      val unread = reader.unread.filter { case ((cluster, _), _) => reader.met.contains(cluster) }
      p.copy(
        reader.copy(
          unread = unread,
          absent = notThere(kafka, answers, asked),
          failing = tried(kafka, reader, answers, asked)
        ),
        urgent = p.urgent || unread.keySet.exists(!this.unread.contains(_))
      )
    }
  }

  /** The same after a batch up to these offsets. */
  def moved(to: Map[PartitionId, Long]): NaiveReader = copy(next = next ++ to)

  private def has(cluster: String) = topics.keys.exists(_._1 == cluster)

  /** A cluster that is not listed is forgotten after the retention of its last topic, be that still held or deleted. */
  private def forgetting(kafka: FakeKafka, before: NaiveReader): NaiveReader = {
    val unlisted = met.keySet.filter(id => !kafka.listed.contains(id) && !has(id))
    val since    = unlisted.map(id => id -> before.alone.getOrElse(id, before.removal(id).getOrElse(kafka.now))).toMap
    val kept     = since.filter(_._2.plus(policy.removal.retention).isAfter(kafka.now))
    copy(met = met -- (unlisted -- kept.keySet), alone = kept)
  }

  /** Since when the last topic of a cluster is not listed; nothing where that was not recorded yet. */
  private def removal(cluster: String): Option[Instant] = {
    val here = topics.keys.filter(_._1 == cluster).map(removed.get(_).map(_.at))
    if (here.exists(_.isEmpty)) None else here.flatten.maxOption
  }

  /** The held topics that were asked about and are not there. */
  private def notThere(kafka: FakeKafka, answers: Answers, asked: String => Instant): Map[Name, Instant] =
    (for {
      name @ (cluster, topic) <- topics.keys if kafka.listed.get(cluster).exists(_(topic)) || drains(name)
      answer                  <- answers.get(cluster).collect { case answer: Answered => answer }
      if answer.topics.get(topic).contains(TopicObservation.Absent)
    } yield name -> absent.getOrElse(name, asked(cluster))).toMap

  /** Whether a topic has something left to read, or may have, once it is not listed. */
  def drains(name: Name): Boolean =
    removed.get(name).fold(policy.removal.policy == RemovedClusterPolicy.Drain)(_.unfinished(name, next))

  private def silent(kafka: FakeKafka, id: String, p: Proposal): Option[Proposal] = kafka.listed.get(id) match {
    case Some(listed) if listed.nonEmpty && policy.unavailable == UnavailableClusterPolicy.Fail => None
    case Some(listed)                                                                           =>
      val here = listed.map(id -> _)
      val back = p.copy(
        reader = p.reader.copy(
          removed = p.reader.removed -- here,
          doubtful = p.reader.doubtful ++ here.filter(p.reader.removed.contains)
        ),
        urgent = p.urgent || here.exists(p.reader.removed.contains)
      )
      if (met.contains(id)) Some(back)
      else {
        val waiting = Waiting(general, ends(kafka, id))
        Some(back.copy(back.reader.copy(met = back.reader.met.updated(id, Some(waiting))), urgent = true))
      }
    case None => Some(p)
  }

  private def ends(kafka: FakeKafka, cluster: String): Map[(String, Int), Long] = kafka.topics.collect {
    case ((`cluster`, _), topic) => topic.logs.indices.map(n => (topic.id, n) -> topic.logs(n).latest)
  }.flatten.toMap

  private def general: OffsetRule = if (first) policy.starting else policy.newCluster

  private def listedTopics(
      kafka: FakeKafka,
      cluster: String,
      answer: Answered,
      asked: Instant,
      p: Proposal
  ): Option[Proposal] =
    kafka.listed.get(cluster).fold(Option(p)) { listed =>
      val known = met.get(cluster).exists(_.isEmpty)
      val here  = p.copy(p.reader.copy(met = p.reader.met.updated(cluster, None)), urgent = p.urgent || !known)
      listed.toVector.sorted.foldLeft(Option(here)) { (proposal, topic) =>
        val name  = cluster -> topic
        val seen  = answer.topics.get(topic)
        val fails = seen.exists(_.obstacle.nonEmpty) && policy.unavailable == UnavailableClusterPolicy.Fail
        proposal.filterNot(_ => fails).flatMap(p =>
          seen match {
            case Some(present: Present)          => listedTopic(kafka, name, present, returned(name, known = true, p))
            case Some(Hidden)                    => Some(hidden(kafka, name, returned(name, known = false, p)))
            case Some(_) if deleted(name, asked) => None
            case Some(_)                         =>
              val back = returned(name, known = false, p)
              Some(back.copy(back.reader.copy(unread = back.reader.unread - name)))
            case None => Some(returned(name, known = false, p))
          }
        )
      }
    }

  /** Whether a topic that is listed, and is not there, counts as loss. */
  private def deleted(name: Name, asked: Instant): Boolean = policy.failOnDataLoss && topics.contains(name) &&
    !removed.contains(name) && !doubtful(name) && absent.get(name).exists(!_.plus(policy.agreement).isAfter(asked))

  /** A topic that is listed.
    *
    * @param known whether its cluster has shown which topic it is now
    */
  private def returned(name: Name, known: Boolean, p: Proposal): Proposal = {
    val doubts = if (known) p.reader.doubtful - name else p.reader.doubtful ++ Set(name).filter(removed.contains)
    p.copy(
      p.reader.copy(removed = p.reader.removed - name, doubtful = doubts),
      urgent = p.urgent || removed.contains(name) || known && doubtful(name)
    )
  }

  private def hidden(kafka: FakeKafka, name: Name, p: Proposal): Proposal =
    if (topics.contains(name)) p else p.copy(waits(kafka, name, p.reader))

  /** What can't be seen yet begins by the rule of now; where that is the earliest record, there is nothing to remember. */
  private def waits(kafka: FakeKafka, name: Name, reader: NaiveReader): NaiveReader = {
    val rule = met.get(name._1).fold(Option(Waiting(general, ends(kafka, name._1))))(identity)
    val wait = unread.get(name).orElse(rule.filter(_.rule != earliest))
    reader.copy(unread = reader.unread ++ wait.map(name -> _))
  }

  private def listedTopic(kafka: FakeKafka, name: Name, present: Present, p: Proposal): Option[Proposal] = {
    val id      = present.kafkaId.getOrElse("")
    val another = topics.get(name).exists(_ != id)
    if (another && policy.failOnDataLoss && !removed.contains(name) && !doubtful(name)) None
    else {
      val kept  = if (another) p.reader.next.filterNot(in(name)) else p.reader.next
      val begun = for {
        (n, extent) <- present.partitions if !kept.contains(partition(name, n))
      } yield partition(name, n) -> (if (another) extent.earliest else begin(name, id, n, extent))
      val all  = kept ++ begun
      val aged = present.partitions.filter { case (n, extent) => all(partition(name, n)) < extent.earliest }
      if (aged.nonEmpty && policy.failOnDataLoss) None
      else {
        val next = all ++ aged.map { case (n, extent) => partition(name, n) -> extent.earliest }
        val read = present.partitions.map { case (n, extent) => partition(name, n) -> extent.latest }
        Some(Proposal(
          seenWhole(kafka, name, present, p.reader.copy(topics = p.reader.topics.updated(name, id), next = next)),
          p.readable ++ read.filter { case (id, to) => next(id) < to && !present.obstacle.holds(id.partition) },
          p.urgent || kept.size < p.reader.next.size || begun.nonEmpty || aged.nonEmpty
        ))
      }
    }
  }

  private def seenWhole(kafka: FakeKafka, name: Name, present: Present, reader: NaiveReader): NaiveReader =
    if (present.obstacle.partitions.keys.forall(n => reader.next.contains(partition(name, n))))
      reader.copy(unread = reader.unread - name)
    else waits(kafka, name, reader)

  def begin(name: Name, topicId: String, number: Int, extent: Extent): Long =
    unread.get(name).map(Option(_)).orElse(met.get(name._1)) match {
      case Some(None)          => extent.earliest
      case Some(Some(waiting)) =>
        if (waiting.rule == earliest) extent.earliest
        else Math.max(extent.earliest, waiting.ends.getOrElse((topicId, number), 0L))
      case None => if (general == earliest) extent.earliest else extent.latest
    }

  private def removedTopics(
      kafka: FakeKafka,
      cluster: String,
      answer: Option[Answered],
      asked: Instant,
      p: Proposal
  ): Proposal = {
    val gone = topics.keys.filter(name => name._1 == cluster && !kafka.listed.get(cluster).exists(_(name._2)))
    gone.toVector.sorted.foldLeft(p) { (proposal, name) =>
      new NaiveRemoval(this, name, answer, asked, kafka.now).step(proposal)
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
    if !kafka.listed.get(cluster).exists(_(topic))
    id <- gone.left(name, p.next)
    if NaiveRemoval.fails(name, id, answers.get(cluster).collect { case answer: Answered => answer })
  } yield id -> failing.getOrElse(id, asked(cluster))).toMap

  def without(name: Name): NaiveReader =
    copy(topics = topics - name, next = next.filterNot(in(name)), removed = removed - name, doubtful = doubtful - name)
}

object NaiveReader {
  private type Answers = Map[String, ClusterObservation]

  val earliest: OffsetRule = OffsetRule.everywhere(OffsetPoint.Earliest)

  def partition(name: Name, number: Int): PartitionId = PartitionId(ClusterId(name._1), name._2, number)

  def in(name: Name)(held: (PartitionId, Long)): Boolean =
    held._1.cluster.value == name._1 && held._1.topic == name._2
}
