package io.github.dynamickafka.spark.cli

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.util.Using

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, Printable}
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, KafkaConsumers, TopicRecord, WholeTopic}
import io.github.dynamickafka.spark.metadata.{FileCheck, Placeholders}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster}

/** `mirror TARGET`: where a consumer group stands on a mirror, by the checkpoints that MirrorMaker 2 writes there.
  *
  * The request has `file`, `target` (a cluster id), `alias` (of the source), `group` and `checkpoints` (the topic).
  */
final private[cli] class MirrorCommand(request: Request, replies: Replies) {
  private val target = ClusterId(request.text("target"))
  private val group  = request.text("group")
  private val topic  = request.text("checkpoints")
  private val file   = request.file("file")
  private val check  = FileCheck.of(file.text, request.kafka, Placeholders.ofDriver)

  private val listed: ListedCluster = {
    val clusters = file.topology(check).clusters
    clusters.getOrElse(
      target,
      throw DynamicKafkaException(
        Condition.InvalidOption,
        say"The file ${Named.file(file.name)} does not list cluster $target. It lists ${Wording.first(clusters.keys)}."
      )
    )
  }

  /** @throws DynamicKafkaException if the cluster can't be asked, or the topic has no checkpoint of the group */
  def run: JsonNode = Using.resource(new ClusterProbes(Map(target -> connection), request.timeout, replies)) { probes =>
    val seen = answered(probes.at(Map(target -> (listed.topics.keySet.toSet + topic)))(target))
    val last = checkpoints(extents(seen))
    if (last.records.isEmpty) throw nothingOf(last.groups)
    Json.obj(
      "checkpoints" -> last.records.toVector.flatMap(json),
      "listed"      -> listed.topics.keys.toVector.map(there(_, seen))
    )
  }

  private def checkpoints(extents: Map[Int, Extent]): MirrorCheckpoints = {
    val key   = ConsumerKey(target, connection, ClusterProbes.Prefix)
    val whole = new WholeTopic(key, KafkaConsumers, request.timeout, System.nanoTime _)
    whole.fold(topic, extents, MirrorCheckpoints.none(group)) { (before, record) =>
      before.and(record).fold(unreadable, identity)
    }
  }

  /** Reads committed records alone: MirrorMaker 2 may write in transactions. */
  private lazy val connection: ConnectionSettings = {
    check.unresolved.get(target).foreach(why => throw DynamicKafkaException(Condition.InvalidMetadata, s"$why."))
    val own = listed.connection.fold(failure => throw failure.exception, identity)
    new ConnectionSettings(own.properties.updated("isolation.level", "read_committed"))
  }

  private def answered(seen: ClusterObservation): Answered = seen match {
    case reply: Answered => reply
    case Failed(failure) => throw failure.exception
    case Silent(report)  =>
      throw report.getOrElse(Failure(Condition.ClusterUnreachable, say"Cluster $target did not answer.")).exception
  }

  private def extents(seen: Answered): Map[Int, Extent] = seen.topic(topic) match {
    case Some(TopicObservation.Absent) | None => throw absent
    case Some(there)                          =>
      skipped(topic, there).foreach(failure => throw failure.exception)
      seen.present(topic).fold(Map.empty[Int, Extent])(_.partitions)
  }

  private def skipped(name: String, there: TopicObservation): Option[Failure] =
    SkippedTopics.of(target, SortedMap(name -> there.obstacle)).failure

  private def absent = DynamicKafkaException(
    Condition.TopicNotFound,
    say"Cluster $target has no topic ${Named.topic(topic)}, in which MirrorMaker 2 keeps the checkpoints of a source with " +
      s"alias ${Printable.line(request.text("alias"))}. Give the target of the mirror, and the alias as MirrorMaker 2's " +
      "`clusters` has it. MirrorMaker 2 writes checkpoints if emit.checkpoints.enabled is true, for groups that have " +
      "committed. With another replication.policy.separator the topic has another name: give it by --checkpoints."
  )

  private def nothingOf(groups: SortedSet[String]) = DynamicKafkaException(
    Condition.InvalidOption,
    say"Topic ${Named.topic(topic)} of cluster $target has no checkpoint of group ${Printable.line(group)}. " +
      (if (groups.isEmpty) "It is empty."
       else s"It has those of ${Wording.first(groups.toVector.map(Printable.line))}.") +
      " MirrorMaker 2 writes checkpoints of groups that its `groups` name, once they have committed on the source what " +
      "it has copied."
  )

  private def unreadable(wrong: (TopicRecord, String)): Nothing = throw DynamicKafkaException(
    Condition.OffsetVersion,
    say"A record of topic ${Named.topic(topic)} of cluster $target (partition ${wrong._1.partition}, offset " +
      s"${wrong._1.offset}) can't be read as a checkpoint of MirrorMaker 2: ${wrong._2}. Check the name of the topic, or use " +
      "a newer release of this package."
  )

  private def json(one: (MirrorKey, TopicRecord)): Option[JsonNode] = one match {
    case (key, record) => MirrorRecord.value(record.value).fold(
        why => unreadable(record -> s"its value: $why"),
        found =>
          // Negative if the offset could not be translated.
          Option.when(found.offset >= 0)(Json.obj(
            "topic"          -> key.topic,
            "partition"      -> key.partition,
            "upstreamOffset" -> found.upstream,
            "offset"         -> found.offset,
            "at"             -> record.at
          ))
      )
  }

  /** What a listed topic holds, by partition, or why that is not known. */
  private def there(name: String, seen: Answered): JsonNode = {
    val problem = seen.topic(name) match {
      case Some(TopicObservation.Absent) | None => Some(Notice.MissingTopic(target, name).warning)
      case Some(other)                          => skipped(name, other)
    }
    val records = seen.present(name).map(_.partitions.toVector.map { case (number, extent) =>
      number.toString -> (extent.latest - extent.earliest)
    })
    Json.obj("topic" -> name, "records" -> records.map(all => Json.obj(all: _*)), "problem" -> problem.map(Replies.of))
  }
}

/** The last checkpoint of each partition.
  *
  * @param groups all groups of which the topic has records
  * @param records those of `group`, by partition
  */
final private[cli] case class MirrorCheckpoints(
    group: String,
    groups: SortedSet[String],
    records: SortedMap[MirrorKey, TopicRecord]
) {

  /** With one more record. Left: a record that is no checkpoint, and why. */
  def and(record: TopicRecord): Either[(TopicRecord, String), MirrorCheckpoints] =
    MirrorRecord.key(record.key).left.map(why => record -> s"its key: $why").map { key =>
      val known = if (groups(key.group)) this else copy(groups = groups + key.group)
      if (key.group != group) known
      // Null is a tombstone: it deletes the earlier checkpoint of this key.
      else if (record.value == null) known.copy(records = records - key)
      else known.copy(records = records.updated(key, record))
    }
}

private[cli] object MirrorCheckpoints {
  implicit private val byPlace: Ordering[MirrorKey] = Ordering.by(key => (key.group, key.topic, key.partition))

  def none(group: String): MirrorCheckpoints = MirrorCheckpoints(group, SortedSet.empty, SortedMap.empty)
}
