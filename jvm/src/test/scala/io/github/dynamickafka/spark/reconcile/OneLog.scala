package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.fakes.FakeKafka.{Log, Own}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.OffsetRule
import io.github.dynamickafka.spark.reconcile.NaiveOffsets.{Begin, Ends}
import io.github.dynamickafka.spark.reconcile.OneLog._
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** One log of topic `t` that several ids have: a Kafka cluster, the same one renamed, and mirrors that lag. And what the
  * contract says of it: where each partition begins, and how far each id may read it.
  *
  * @param partitions of the Kafka cluster
  * @param copied how far each mirror has got
  * @param own the offsets that the metadata gives each id
  * @param begin what decides where partitions begin: the rule as of the first listing, and what there was by then
  * @param ended the ending offsets with which each id was seen last
  */
final case class OneLog(
    partitions: Map[Int, Log] = Map(0 -> Log.empty),
    copied: Map[String, Map[Int, Long]] = Map.empty,
    own: Map[String, Own] = Map.empty,
    begin: Option[Begin] = None,
    ended: Map[String, Own] = Map.empty
) {
  def written(partition: Int, count: Int, at: Long): OneLog =
    copy(partitions = partitions.updatedWith(partition)(_.map(_.write(count, at))))

  def widened: OneLog = copy(partitions = partitions.updated(partitions.size, Log.empty))

  /** A mirror gets as far as so many records before the end. */
  def mirrored(mirror: String, behind: Int): OneLog = {
    val ends = partitions.map { case (n, log) => n -> Math.max(had(mirror, n), log.latest - behind) }
    copy(copied = copied.updated(mirror, ends))
  }

  private def had(mirror: String, partition: Int): Long = copied.getOrElse(mirror, Map.empty).getOrElse(partition, 0L)

  /** What an id has of each partition. */
  def of(id: String): Map[Int, Log] =
    if (!mirrors.contains(id)) partitions
    else copied.getOrElse(id, Map.empty).map { case (n, end) =>
      n -> Log(0, end, partitions(n).written.filter(_._1 < end))
    }

  def texts(id: String): Own = own.getOrElse(id, Own())

  /** Where mirroring ended, of a mirror that has all that was read. */
  def mirroringEnded(id: String, read: Map[Int, Long]): Option[String] =
    Option.when(mirrors.contains(id) && partitions.keys.forall(n => had(id, n) >= read.getOrElse(n, 0L))) {
      partitions.keys.map(n => s""""$n":${had(id, n)}""").mkString("""{"t":{""", ",", "}}")
    }

  /** The log is listed for the first time, under the first id. */
  def listedFirst(starting: OffsetRule): OneLog = if (begin.isDefined) this
  else copy(begin =
    Some(Begin(
      texts(first).starting.map(_.rule),
      Some(starting),
      Some(partitions.map { case (n, log) => ("t", n) -> log.latest })
    ))
  )

  /** Where a partition may begin under this id. One of the first listing begins by the rule of then, whoever reads it. A later
    * one begins at its earliest record, unless the first id lists it and names it; on what was not reached yet, by the first
    * rule.
    */
  def starts(id: String, partition: Int, listed: Boolean): Set[Long] = begin.fold(Set(0L)) { all =>
    val log                       = of(id)(partition)
    val here                      = PartitionId(ClusterId(first), "t", partition)
    def at(rule: Begin): Long     = rule.at(here, "t", Extent(0, log.latest), log)
    def ends(name: (String, Int)) = all.ends.get.getOrElse(name, 0L)
    val byFirst = at(all.copy(ends = Some(Map(("t", partition) -> Math.min(ends("t" -> partition), log.latest)))))
    if (all.ends.get.contains("t" -> partition)) Set(byFirst)
    else {
      val named = texts(first).starting.filter(_ => id == first && listed).map(_.rule.copy(default = None))
      Set(byFirst, at(Begin(named, None)))
    }
  }

  /** These ids were listed: their texts count. */
  def listedUnder(ids: Iterable[String]): OneLog = copy(ended = ended ++ ids.map(id => id -> texts(id)))

  /** Where a partition ends for an id, as far as the log has got there. */
  def end(id: String, partition: Int): Option[Long] = for {
    own <- ended.get(id)
    log <- of(id).get(partition)
    end <- Ends(own.ending).of(PartitionId(ClusterId(id), "t", partition), Extent(0, Long.MaxValue), log)
  } yield end
}

object OneLog {

  /** The id that is listed first. */
  val first                   = "a"
  val ids: Vector[String]     = Vector(first, "a2", "m", "n")
  val mirrors: Vector[String] = Vector("m", "n")
}
