package io.github.dynamickafka.spark.topology

import scala.annotation.tailrec
import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.errors.{Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId

/** Which listed clusters continue which ids, directly or through each other.
  *
  * Ids that continue each other have one log with one position, so the metadata must show which of them is the newest.
  * In a circle none is the newest, and two rivals both are. Both cases are problems.
  *
  * @param direct the ids that each listed cluster names itself
  */
final private[topology] class Successions(direct: SortedMap[ClusterId, SortedSet[ClusterId]]) {
  import Successions._

  /** All earlier ids of each listed cluster. */
  val earlier: SortedMap[ClusterId, SortedSet[ClusterId]] =
    direct.map { case (id, said) => id -> reached(said.toList, SortedSet.empty) }

  /** The problems, as texts that name the clusters. */
  def problems: Vector[Wording] = circles ++ rivals

  @tailrec
  private def reached(open: List[ClusterId], found: SortedSet[ClusterId]): SortedSet[ClusterId] = open match {
    case Nil                     => found
    case id :: rest if found(id) => reached(rest, found)
    case id :: rest              => reached(direct.get(id).fold(rest)(_.toList ++ rest), found + id)
  }

  private def continues(later: ClusterId, old: ClusterId): Boolean = earlier.get(later).exists(_(old))

  private def circles: Vector[Wording] = {
    val within = direct.keySet.filter(id => continues(id, id))
    val each = within.toVector.map(id => within.filter(other => continues(id, other) && continues(other, id))).distinct
    each.map { ids =>
      val steps = ids.toVector.flatMap(id => direct(id).intersect(ids).toVector.map(old => say"$id continues $old"))
      say"clusters ${shown(ids)} continue each other in a circle (${shown(steps)}). Remove `continues` from the oldest " +
        "of them"
    }
  }

  // Comparing the clusters that name an id themselves is enough: if others are rivals, some of these are rivals too.
  private def rivals: Vector[Wording] = {
    val naming = direct.toVector.flatMap { case (id, said) => said.toVector.map(_ -> id) }.groupMap(_._1)(_._2)
    val found  = naming.toVector.map { case (old, ids) => rivalsAmong(ids) -> old }.filter(_._1.nonEmpty)
    found.groupMap(_._1)(_._2).toVector.map { case (ids, old) =>
      say"clusters ${shown(ids)} continue ${shown(old.sorted)} and do not continue each other, so it is unclear which of " +
        "them takes over. Let the newer one continue the other as well, or let only one of them continue " +
        say"${shown(old.sorted)}"
    }.sortBy(_.text)
  }

  private def rivalsAmong(ids: Vector[ClusterId]): SortedSet[ClusterId] = {
    val byAge = ids.sortBy(earlier(_).size)
    // In a chain each continues the one before it, and so all earlier ones.
    if (byAge.zip(byAge.drop(1)).forall { case (old, later) => continues(later, old) }) SortedSet.empty
    else ids.filter(id => ids.exists(other => rival(id, other))).to(SortedSet)
  }

  private def rival(one: ClusterId, other: ClusterId): Boolean =
    one != other && !continues(one, other) && !continues(other, one)
}

private object Successions {
  private val Shown = 5

  /** A text of limited length. */
  private def shown(items: Iterable[_]): Wording = {
    val more = if (items.sizeIs > Shown) s" and ${items.size - Shown} more" else ""
    new Wording(items.take(Shown).mkString(", ") + more, Wording.list(items).fields)
  }
}
