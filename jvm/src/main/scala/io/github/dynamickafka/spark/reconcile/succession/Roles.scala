package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Removal, SourceOffset}
import io.github.dynamickafka.spark.topology.Topology

/** The role of a listed topic under one cluster id. For a topic, ids that continue each other are one log with one position.
  */
sealed trait Role extends Product with Serializable

object Role {

  /** It is read here, from the position that is held here, or from where it begins. */
  case object Reader extends Role

  /** Another id of the same log reads it, or is about to. */
  final case class Standby(of: ClusterId) extends Role

  /** It is to be read here, from the position of an id that no longer lists it. */
  final case class Successor(of: ClusterId) extends Role
}

/** Which cluster id reads which log. A log has one position, held under one id. That id reads the log while it lists the
  * topic. Otherwise it is read by the listed id that continues no other listed id. All others stand by.
  *
  * @param held what is held, with one position for each log
  * @param roles by cluster and topic; readers are left out
  * @param joins the positions that do not count from now on: the id, the topic, and the id whose position counts
  */
final class Roles private (
    val topology: Topology,
    val held: SourceOffset,
    roles: Map[(ClusterId, String), Role],
    val joins: Vector[(ClusterId, String, ClusterId)]
) {
  private val successors = successions.map { case (id, name, of) => (of, name) -> id }.toMap

  /** Of a listed topic. */
  def of(cluster: ClusterId, topic: String): Role = roles.getOrElse(cluster -> topic, Role.Reader)

  /** All hand-overs to come: the id that is to read, the topic, and the id that holds the position. */
  def successions: Iterator[(ClusterId, String, ClusterId)] =
    roles.iterator.collect { case ((cluster, topic), Role.Successor(of)) => (cluster, topic, of) }

  /** Whether a topic is not read under one id because it is read under the other one. */
  def standsBy(cluster: ClusterId, topic: String, reader: ClusterId): Boolean =
    of(cluster, topic) == Role.Standby(reader)

  /** The id to which the position of this topic will be handed over. */
  def successor(cluster: ClusterId, topic: String): Option[ClusterId] = successors.get(cluster -> topic)

  /** Whether what is held here is not read for now: it is paused, or waits for its successor. */
  def rests(cluster: ClusterId, topic: String): Boolean =
    topology.pauses(cluster, topic) || successors.contains(cluster -> topic)

  /** The id that holds the position of the log of a listed topic, or is to begin it. */
  def holder(cluster: ClusterId, topic: String): ClusterId = of(cluster, topic) match {
    case Role.Standby(reader) => holder(reader, topic)
    case Role.Successor(from) => from
    case Role.Reader          => cluster
  }

  /** All topics that may be read on here later: they stand by, or are paused. */
  def waiting: Iterator[(ClusterId, String)] = roles.iterator.collect {
    case (name, _: Role.Standby)                                                         => name
    case (name @ (cluster, topic), _: Role.Successor) if topology.pauses(cluster, topic) => name
  }

  /** Whether the query reads anything of this cluster. Listed without topics, it is there for its drain alone. */
  def reads(cluster: ClusterId): Boolean =
    topics(cluster).exists(name => !standsBy(cluster, name) && !topology.pauses(cluster, name))

  /** Whether nothing of a listed cluster is read for now, whatever it answers. */
  def rests(cluster: ClusterId): Boolean = topics(cluster).nonEmpty && !reads(cluster)

  /** Whether all that this cluster lists stands by. */
  def standsBy(cluster: ClusterId): Boolean = topics(cluster).nonEmpty && topics(cluster).forall(standsBy(cluster, _))

  private def standsBy(cluster: ClusterId, topic: String): Boolean = of(cluster, topic).isInstanceOf[Role.Standby]

  private def topics(cluster: ClusterId): Iterable[String] =
    topology.clusters.get(cluster).fold(Iterable.empty[String])(_.topics.keySet)
}

object Roles {

  /** Where nothing is listed. */
  val none: Roles = of(SourceOffset.initial, Topology.empty)

  /** @param recorded what is held, perhaps with several positions of a log that the metadata has just joined */
  def of(recorded: SourceOffset, topology: Topology): Roles = {
    val logs  = shared(recorded, topology).toVector.flatMap(name => joined(name, recorded, topology))
    val joins = logs.flatMap(_.joins)
    new Roles(topology, Joins.of(recorded, joins), logs.flatMap(_.roles).toMap, joins)
  }

  /** The topics that several ids may have in common as one log. Mostly there are none. */
  private def shared(held: SourceOffset, topology: Topology): Set[String] = {
    val continuing = topology.clusters.filter(_._2.continues.nonEmpty)
    val declared   = continuing.keySet ++ continuing.valuesIterator.flatMap(_.continues)
    declared.iterator.flatMap(topology.clusters.get).flatMap(_.topics.keysIterator).toSet ++
      held.topics.collect { case (_, name, topic) if topic.formers.nonEmpty || topic.beside.nonEmpty => name }
  }

  /** The logs of one topic. Ids are joined by the metadata or by what is held, directly or through others. */
  private def joined(name: String, held: SourceOffset, topology: Topology): Vector[Log] = {
    val links  = new Links(name, held, topology)
    val ids    = (held.clusters.keySet ++ topology.clusters.keySet).filter(topology.lists(_, name)) ++ links.ids
    val near   = ids.iterator.map(id => id -> links.of(id)).toMap
    val groups = ids.foldLeft(Vector.empty[Vector[ClusterId]]) { (done, id) =>
      val (linked, apart) = done.partition(_.exists(near(_).exists(near(id))))
      apart :+ (linked.flatten :+ id)
    }
    groups.map(new Log(name, _, held, topology))
  }

  /** One log, and the ids that hold a position of it or list it. */
  final private class Log(name: String, ids: Vector[ClusterId], held: SourceOffset, topology: Topology) {
    private val holders = ids.filter(held.topic(_, name).isDefined)
    private val listers = ids.filter(topology.lists(_, name))

    /** The id whose position counts: first the one that is read, then the one that was removed last. One that may be another
      * id's Kafka cluster comes last.
      */
    private val keeper =
      holders.minByOption(id => (held.clusters(id).adopted, removed(id), continuesOneOf(id, ids), id))
    private val reader = keeper.filter(listers.contains)
      .orElse(listers.minByOption(id => (continuesOneOf(id, listers), keeper.exists(!continues(id, _)), id)))

    def roles: Vector[((ClusterId, String), Role)] = for {
      lister <- listers
      read   <- reader
      role   <- if (lister != read) Some(Role.Standby(read)) else keeper.filter(_ != read).map(Role.Successor(_))
    } yield (lister, name) -> role

    /** The positions of this log that do not count, and the id whose position counts. */
    def joins: Vector[(ClusterId, String, ClusterId)] =
      for (id <- if (listers.isEmpty) Vector.empty else holders; by <- keeper if id != by) yield (id, name, by)

    private def continues(one: ClusterId, other: ClusterId): Boolean =
      topology.clusters.get(one).exists(_.continues(other))

    private def continuesOneOf(id: ClusterId, some: Vector[ClusterId]): Boolean = some.exists(continues(id, _))

    private def removal(id: ClusterId): Option[Removal] = held.topic(id, name).flatMap(_.removal)

    private def removed(id: ClusterId): (Boolean, Long) = removal(id) match {
      case None          => (!listers.contains(id), Long.MinValue)
      case Some(removal) => (true, -removal.at)
    }
  }
}
