package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Removal, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** What a listed topic is for the query under one cluster id. Ids that continue each other are, for a topic, one log with
  * one position.
  */
sealed trait Role extends Product with Serializable

object Role {

  /** It is read here, on from what is held here, or from where it begins. */
  case object Reader extends Role

  /** Another id of the same log reads it, or is about to. */
  final case class Standby(of: ClusterId) extends Role

  /** It is to be read here on from the position that is held under an id which lists it no more. */
  final case class Successor(of: ClusterId) extends Role
}

/** Who reads which log: the position of a log is held under one cluster id, and whoever lists the topic decides under which
  * id it is read. The holder reads on while it lists the topic. Otherwise the one of the listed ids reads it that
  * continues no other of them. All others stand by.
  *
  * @param roles by cluster and topic, but for readers
  * @param doubles what is held a second time of a log, by cluster and topic
  */
final class Roles private (
    val topology: Topology,
    roles: Map[(ClusterId, String), Role],
    val doubles: Set[(ClusterId, String)]
) {
  private val successors = successions.map { case (id, name, of) => (of, name) -> id }.toMap

  /** Of a listed topic. */
  def of(cluster: ClusterId, topic: String): Role = roles.getOrElse(cluster -> topic, Role.Reader)

  /** All topics that are to be read on under another id: that one, the topic, and the id that holds it. */
  def successions: Iterator[(ClusterId, String, ClusterId)] =
    roles.iterator.collect { case ((cluster, topic), Role.Successor(of)) => (cluster, topic, of) }

  /** The id that is to read what is held here of a topic that this id lists no more. */
  def successor(cluster: ClusterId, topic: String): Option[ClusterId] = successors.get(cluster -> topic)

  /** Whether what is held here is not read for now: it is paused, or waits for its successor. */
  def rests(cluster: ClusterId, topic: String): Boolean =
    topology.pauses(cluster, topic) || successors.contains(cluster -> topic)

  /** All topics that are read on here later: they stand by, or are paused. */
  def waiting: Iterator[(ClusterId, String)] = roles.iterator.collect {
    case (name, _: Role.Standby)                                                         => name
    case (name @ (cluster, topic), _: Role.Successor) if topology.pauses(cluster, topic) => name
  }

  /** Whether the query reads anything of this cluster. Listed without topics, it is there for its drain alone. */
  def reads(cluster: ClusterId): Boolean =
    topics(cluster).exists(name => !standsBy(cluster, name) && !topology.pauses(cluster, name))

  /** Whether a listed cluster is read no further for now, whatever it answers. */
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

  def of(held: SourceOffset, topology: Topology): Roles = {
    val logs = shared(held, topology).toVector.flatMap(name => new Logs(name, held, topology).all.map(name -> _))
    new Roles(
      topology,
      logs.flatMap { case (name, log) => log.roles.map { case (id, role) => (id, name) -> role } }.toMap,
      logs.flatMap { case (name, log) => log.doubles.map(_ -> name) }.toSet
    )
  }

  /** The topics that several ids may have in common as one log. Mostly there are none. */
  private def shared(held: SourceOffset, topology: Topology): Set[String] = {
    val continuing = topology.clusters.filter(_._2.continues.nonEmpty)
    val declared   = continuing.keySet ++ continuing.valuesIterator.flatMap(_.continues)
    val recorded   = for {
      cluster       <- held.clusters.valuesIterator
      (name, topic) <- cluster.topics.iterator if topic.formers.nonEmpty
    } yield name
    declared.iterator.flatMap(topology.clusters.get).flatMap(_.topics.keysIterator).toSet ++ recorded
  }

  /** One log: the ids that hold a position of it, and those that list it, each in the order in which they count. */
  final private case class Log(holders: Vector[ClusterId], listers: Vector[ClusterId]) {
    private val keeper = holders.headOption
    private val reader = keeper.filter(listers.contains).orElse(listers.headOption)

    def roles: Vector[(ClusterId, Role)] = for {
      lister <- listers
      read   <- reader
      role   <- if (lister != read) Some(Role.Standby(read)) else keeper.filter(_ != read).map(Role.Successor(_))
    } yield lister -> role

    def doubles: Vector[ClusterId] = if (reader.isEmpty) Vector.empty else holders.drop(1)
  }

  /** The logs of one topic's name. */
  final private class Logs(name: String, held: SourceOffset, topology: Topology) {
    private val listers: Map[ClusterId, ListedCluster] = topology.clusters.filter(_._2.topics.contains(name))
    private val holders: Map[ClusterId, TopicOffset]   = held.clusters.keysIterator.flatMap { id =>
      held.topic(id, name).map(id -> _)
    }.toMap

    def all: Vector[Log] = groups((listers.keySet ++ holders.keySet).toVector.sorted).map { ids =>
      val (holding, listing) = (ids.filter(holders.contains), ids.filter(listers.contains))
      val kept               = holding.sortBy(id => (removed(id), continuesOneOf(id, ids), id))
      val last               = kept.headOption
      Log(kept, listing.sortBy(id => (continuesOneOf(id, listing), last.exists(!continues(id, _)), id)))
    }

    /** The ids that are joined to each other, directly or through others. */
    private def groups(ids: Vector[ClusterId]): Vector[Vector[ClusterId]] =
      ids.foldLeft(Vector.empty[Vector[ClusterId]]) { (done, id) =>
        val (same, apart) = done.partition(_.exists(joined(id, _)))
        apart :+ (same.flatten :+ id)
      }

    private def joined(one: ClusterId, other: ClusterId): Boolean = known(one).exists(known(other))

    /** The ids that are one log with this one: by the line of the metadata, or by what was handed over. */
    private def known(id: ClusterId): Set[ClusterId] =
      holders.get(id).fold(Set.empty[ClusterId])(_.formers.toSet) ++
        topology.clusters.get(id).fold(Set.empty[ClusterId])(_.continues.toSet) + id

    private def continues(one: ClusterId, other: ClusterId): Boolean =
      topology.clusters.get(one).exists(_.continues(other))

    private def continuesOneOf(id: ClusterId, ids: Vector[ClusterId]): Boolean = ids.exists(continues(id, _))

    // One that is read comes before one that was, and of these the one that was removed last.
    private def removed(id: ClusterId): (Boolean, Long) = holders(id).removal match {
      case None | Some(_: Removal.ListedAgain) => (!listers.contains(id), Long.MinValue)
      case Some(removal)                       => (true, -removal.at)
    }
  }
}
