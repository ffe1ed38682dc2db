package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Removal, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** Who reads which log: the position of a log is held under one cluster id, and whoever lists the topic decides under which
  * id it is read. The holder reads on while it lists the topic. Otherwise the one of the listed ids reads it that
  * continues no other of them. All others stand by.
  *
  * @param roles by cluster and topic, but for readers
  * @param successors who is to read what is held under an id that lists it no more, by cluster and topic
  * @param doubles what is held a second time of a log, by cluster and topic
  */
final class Roles private (
    topology: Topology,
    roles: Map[(ClusterId, String), Role],
    successors: Map[(ClusterId, String), ClusterId],
    val doubles: Set[(ClusterId, String)]
) {

  /** Of a listed topic. */
  def of(cluster: ClusterId, topic: String): Role = roles.getOrElse(cluster -> topic, Role.Reader)

  /** The id that is to read what is held here of a topic that this id lists no more. */
  def successor(cluster: ClusterId, topic: String): Option[ClusterId] = successors.get(cluster -> topic)

  /** All topics that are to be read on under another id: that one, the topic, and the id that holds it. */
  def successions: Iterator[(ClusterId, String, ClusterId)] =
    roles.iterator.collect { case ((cluster, topic), Role.Successor(of)) => (cluster, topic, of) }

  /** All topics that are read on here later: they stand by, or are paused. */
  def waiting: Iterator[(ClusterId, String)] = roles.iterator.collect {
    case (name, _: Role.Standby)                                                => name
    case (name @ (cluster, topic), _: Role.Successor) if paused(cluster, topic) => name
  }

  private def paused(cluster: ClusterId, topic: String): Boolean =
    topology.clusters.get(cluster).exists(_.pause.holds(topic))

  /** Whether the query reads anything of this cluster. Listed without topics, it is there for its drain alone. */
  def reads(cluster: ClusterId): Boolean = topology.clusters.get(cluster).exists { listed =>
    listed.topics.keysIterator.exists(name => !standsBy(cluster, name) && !listed.pause.holds(name))
  }

  /** Whether a listed cluster is read no further for now, whatever it answers. */
  def rests(cluster: ClusterId): Boolean =
    topology.clusters.get(cluster).exists(_.topics.nonEmpty) && !reads(cluster)

  /** Whether all that this cluster lists stands by. */
  def standsBy(cluster: ClusterId): Boolean = topology.clusters.get(cluster).exists { listed =>
    listed.topics.nonEmpty && listed.topics.keysIterator.forall(standsBy(cluster, _))
  }

  private def standsBy(cluster: ClusterId, topic: String): Boolean = of(cluster, topic).isInstanceOf[Role.Standby]
}

object Roles {

  /** Where nothing is listed. */
  val none: Roles = of(SourceOffset.initial, Topology.empty)

  def of(held: SourceOffset, topology: Topology): Roles = {
    val logs = for {
      name <- names(held, topology).toVector
      log  <- new Logs(name, held, topology).all
    } yield name -> log
    new Roles(
      topology,
      roles = logs.flatMap { case (name, log) => log.roles.map { case (id, role) => (id, name) -> role } }.toMap,
      successors = logs.flatMap { case (name, log) =>
        log.successor.map { case (id, next) => (id, name) -> next }
      }.toMap,
      doubles = logs.flatMap { case (name, log) => log.doubles.map(_ -> name) }.toSet
    )
  }

  /** The topics that several ids may have in common as one log. Mostly there are none. */
  private def names(held: SourceOffset, topology: Topology): Set[String] = {
    val continuing = topology.clusters.filter(_._2.continues.nonEmpty)
    val declared   = continuing.keySet ++ continuing.valuesIterator.flatMap(_.continues)
    val recorded   = for {
      cluster       <- held.clusters.valuesIterator
      (name, topic) <- cluster.topics.iterator if topic.formers.nonEmpty
    } yield name
    declared.iterator.flatMap(topology.clusters.get).flatMap(_.topics.keysIterator).toSet ++ recorded
  }

  /** One log: the ids that list it, and those that hold it.
    *
    * @param holders the one whose position counts first
    * @param listers the one that reads it where no holder does first
    */
  final private case class Log(holders: Vector[ClusterId], listers: Vector[ClusterId]) {
    private val keeper = holders.headOption
    private val reader = keeper.filter(listers.contains).orElse(listers.headOption)

    def roles: Vector[(ClusterId, Role)] = for {
      lister <- listers
      read   <- reader
      role   <-
        if (lister != read) Some(Role.Standby(read)) else keeper.filter(_ != read).map(Role.Successor(_))
    } yield lister -> role

    def successor: Option[(ClusterId, ClusterId)] =
      for {
        kept <- keeper
        read <- reader if read != kept
      } yield kept -> read

    def doubles: Vector[ClusterId] = if (reader.isEmpty) Vector.empty else holders.drop(1)
  }

  /** The logs of one topic's name. */
  final private class Logs(name: String, held: SourceOffset, topology: Topology) {
    private val listers: Map[ClusterId, ListedCluster] = topology.clusters.filter(_._2.topics.contains(name))
    private val holders: Map[ClusterId, TopicOffset]   = held.clusters.flatMap { case (id, cluster) =>
      cluster.topics.get(name).map(id -> _)
    }

    def all: Vector[Log] = groups((listers.keySet ++ holders.keySet).toVector.sorted).map { ids =>
      val holding = ids.filter(holders.contains).sortBy(id => (removed(id), continuesOneOf(id, ids), id))
      val listing = ids.filter(listers.contains).sortBy { id =>
        (continuesOneOf(id, ids.filter(listers.contains)), holding.headOption.exists(!continues(id, _)), id)
      }
      Log(holding, listing)
    }

    /** The ids that are joined to each other, directly or through others. */
    private def groups(ids: Vector[ClusterId]): Vector[Vector[ClusterId]] =
      ids.foldLeft(Vector.empty[Vector[ClusterId]]) { (done, id) =>
        val (with_, without) = done.partition(_.exists(joined(id, _)))
        without :+ (with_.flatten :+ id)
      }

    private def joined(one: ClusterId, other: ClusterId): Boolean = known(one).exists(known(other))

    /** The ids that are one log with this one: by the line of the metadata, or by what was handed over. */
    private def known(id: ClusterId): Set[ClusterId] =
      holders.get(id).fold(Set.empty[ClusterId])(_.formers.toSet) ++ topology.clusters.get(
        id
      ).fold(Set.empty[ClusterId])(_.continues.toSet) + id

    private def continues(one: ClusterId, other: ClusterId): Boolean =
      topology.clusters.get(one).exists(_.continues(other))

    private def continuesOneOf(id: ClusterId, ids: Vector[ClusterId]): Boolean = ids.exists(continues(id, _))

    // One that is read before one that was, and of these the one that was removed last.
    private def removed(id: ClusterId): (Boolean, Long) = holders(id).removal match {
      case None | Some(_: Removal.ListedAgain) => (!listers.contains(id), Long.MinValue)
      case Some(removal)                       => (true, -removal.at)
    }
  }
}
