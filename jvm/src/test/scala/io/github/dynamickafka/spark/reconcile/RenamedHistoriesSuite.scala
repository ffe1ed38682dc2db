package io.github.dynamickafka.spark.reconcile

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{Query, World}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.fakes.World.{Down, Name, Part, Reply, Whole}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.{RemovedClusterPolicy, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges, ReadBudget}
import io.github.dynamickafka.spark.topology.Topology

/** Random histories in which each Kafka cluster goes by one of two ids, is taken off and put back, ends somewhere and goes
  * on, while its topics are deleted and created again, brokers answer by halves, drains are given up and drivers crash. An operator pastes the
  * starting offsets that a warning prints, at once, or those that one printed a good while before. Only what was read counts, record by record; how is `HistoriesSuite`'s matter.
  *
  * Left out: retention, and the loss that fails a query.
  */
class RenamedHistoriesSuite extends ManyHistories {
  import RenamedHistoriesSuite._

  private val clusters = World.clusterNames.take(2)
  private val names    = Gen.zip(Gen.oneOf(clusters), Gen.oneOf(World.topicNames))

  private val replies: Gen[Reply] = Gen.frequency(
    8 -> Gen.const(Whole),
    1 -> Gen.const(Down),
    2 -> Gen.zip(Gen.someOf(World.topicNames), Gen.someOf(0 to 2)).map { case (t, p) => Part(t.toSet, p.toSet) }
  )

  private val moves: Gen[Move] = Gen.frequency(
    14 -> Gen.zip(Gen.option(Gen.choose(1L, 8L)), Gen.listOfN(clusters.size, replies), Gen.oneOf(Unlisted.all))
      .map { case (limit, each, unlisted) => Look(limit, clusters.zip(each).toMap, unlisted) },
    8 -> Gen.zip(names, Gen.choose(0, 2), Gen.choose(1, 6)).map((World.Write.apply _).tupled).map(InKafka(_)),
    3 -> names.map(name => InKafka(World.Widen(name))),
    1 -> Gen.zip(names, Gen.choose(0, 2)).map((World.AgeOut.apply _).tupled).map(InKafka(_)),
    1 -> names.map(name => InKafka(World.Recreate(name))),
    1 -> names.map(name => InKafka(World.Delete(name))),
    2 -> Gen.oneOf(clusters).map(Rename(_)),
    2 -> Gen.zip(Gen.oneOf(clusters), Gen.oneOf(true, false)).map((List.apply _).tupled),
    2 -> Gen.zip(Gen.oneOf(clusters), Gen.option(Gen.choose(0, 12))).map((EndAt.apply _).tupled),
    1 -> Gen.const(Crash)
  )

  private val policies: Gen[ReconcilePolicy] = for {
    removal   <- Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop)
    agreement <- Gen.oneOf(fromEarliest.agreement, java.time.Duration.ZERO)
  } yield fromEarliest.copy(
    removal = fromEarliest.removal.copy(policy = removal),
    unavailable = UnavailableClusterPolicy.Skip,
    failOnDataLoss = false,
    agreement = agreement
  )

  private val histories: Gen[scala.List[Move]] = Gen.choose(5, 60).flatMap(Gen.listOfN(_, moves))

  private def healthy = Look(None, clusters.map(_ -> Whole).toMap, Unlisted.Known)

  property("whatever a cluster is called, no record is read twice, and none that is kept and listed is left out") {
    forAll(policies, Gen.oneOf(0, 1, 3), histories) { (policy, delay, history) =>
      val start =
        Run(World(), Query(policy), clusters.map(c => c -> Place(c, listed = true, delay)).toMap, Map.empty)
      val run = history.foldLeft(start)(_ after _)
      // All is listed without an end, and answers; a rename takes the operator two looks and the delay, an old
      // drain one more.
      val calm   = clusters.foldLeft(run)((here, c) => here.after(List(c, now = true)).after(EndAt(c, None)))
      val healed = (1 to 5 + delay).foldLeft(calm)((here, _) => here.after(healthy))
      healed.world.topics.foreach { case (name, topic) =>
        topic.extents.foreach { case (partition, extent) =>
          val read = healed.read.getOrElse((topic.id, partition), Vector.empty)
          (extent.earliest until extent.latest).foreach { offset =>
            assert(
              read.exists { case (from, until) => from <= offset && offset < until },
              s"offset $offset of partition $partition of $name was not read, but $read of $extent"
            )
          }
        }
      }
      Prop.passed
    }
  }
}

object RenamedHistoriesSuite {

  sealed trait Move                            extends Product with Serializable
  final case class InKafka(event: World.Event) extends Move

  final case class Look(limit: Option[Long], replies: Map[String, Reply], unlisted: Unlisted) extends Move
  final case class Rename(cluster: String)                                                    extends Move
  final case class List(cluster: String, now: Boolean)                                        extends Move
  final case class EndAt(cluster: String, offset: Option[Int])                                extends Move
  case object Crash                                                                           extends Move

  /** An id that is off the metadata. */
  sealed trait Unlisted extends Product with Serializable

  object Unlisted {

    /** It answers as its cluster does. */
    case object Known extends Unlisted

    /** It does not answer. */
    case object Dark extends Unlisted

    /** It does not answer, and the metadata service calls it inactive: a drain is given up. */
    case object Inactive extends Unlisted

    val all: Seq[Unlisted] = Seq(Known, Dark, Inactive)
  }

  /** Where the metadata has a Kafka cluster.
    *
    * @param delay how many warnings later the operator pastes what one printed
    * @param printed what warnings printed that the operator has not pasted yet, the oldest first
    * @param starting what the operator pasted
    */
  final case class Place(
      id: String,
      listed: Boolean,
      delay: Int,
      printed: Vector[String] = Vector.empty,
      starting: Option[String] = None,
      ending: Option[String] = None
  ) {
    def renamed: Place = unpasted.copy(id = if (id.endsWith("2")) id.init else s"${id}2", listed = true)

    def unpasted: Place = copy(starting = None, printed = Vector.empty)

    def warned(positions: String): Place =
      if (printed.size < delay) copy(printed = printed :+ positions)
      else copy(starting = (printed :+ positions).headOption, printed = (printed :+ positions).tail)
  }

  /** @param read what was read, from and until, by Kafka's id of the topic and the partition, in the order it was read */
  final case class Run(
      world: World,
      query: Query,
      places: Map[String, Place],
      read: Map[(String, Int), Vector[(Long, Long)]]
  ) {
    def after(move: Move): Run = move match {
      // The offsets that an operator pasted are those of the topic as it was, so the operator pastes anew.
      case InKafka(event @ (World.Recreate(_) | World.Delete(_) | World.Widen(_))) =>
        val unpasted = places.map { case (cluster, place) => cluster -> place.unpasted }
        copy(world = world.after(event), places = unpasted)
      case InKafka(event)       => copy(world = world.after(event))
      case Crash                => copy(query = query.copy(known = LastKnown.nothing))
      case Rename(cluster)      => place(cluster)(_.renamed)
      case List(cluster, now)   => place(cluster)(_.copy(listed = now))
      case EndAt(cluster, some) => place(cluster)(_.copy(ending = some.map(n => s"""{"t":{"0":$n}}""")))
      case look: Look           => looked(look)
    }

    private def place(cluster: String)(change: Place => Place) =
      copy(places = places.updatedWith(cluster)(_.map(change)))

    private def topology: Topology = listed(places.values.toSeq.filter(_.listed).map { place =>
      val bare  = topics(World.topicNames: _*)
      val begun = place.starting.fold(bare)(bare.startingAt)
      place.id -> place.ending.fold(begun)(begun.endingAt)
    }: _*)

    private def ids(cluster: String) = Seq(cluster, s"${cluster}2")

    private def kafka(id: ClusterId): String = if (id.value.endsWith("2")) id.value.init else id.value

    private def looked(look: Look): Run = {
      val answers = places.toSeq.flatMap { case (cluster, place) =>
        ids(cluster).filter(id => look.unlisted == Unlisted.Known || place.listed && place.id == id)
          .map(_ -> world.answer(cluster, look.replies(cluster)))
      }
      val gone   = places.keySet.flatMap(ids).map(ClusterId(_)) -- topology.clusters.keySet
      val here   = query.copy(now = world.now, inactive = gone.filter(_ => look.unlisted == Unlisted.Inactive))
      val seen   = here.sees(topology)(answers: _*)
      val before = query.held
      val next   = seen.readSome(readable => limited(seen.offset, readable, look.limit))
      val ranges = OffsetRanges.between(before, next.held)
      val pasted = seen.notices.foldLeft(places)(pastes)
      ranges.foldLeft(copy(query = next, places = pasted))(_ reads _).copy(world = world.after(World.Sleep(0)))
    }

    private def limited(
        offset: SourceOffset,
        readable: Map[io.github.dynamickafka.spark.ids.PartitionId, Long],
        limit: Option[Long]
    ) =
      limit.fold(readable) { most =>
        val next    = readable.map { case (id, _) => id -> offset.get(id).map(_.next).getOrElse(0L) }
        val backlog = readable.toVector.map { case (id, until) => id -> (until - next(id)) }
        ReadBudget.spread(PartitionMap.from(backlog), most, None).collect {
          case (id, count) if count > 0 => id -> (next(id) + count)
        }
      }

    private def reads(range: OffsetRange): Run = {
      val name: Name = kafka(range.id.cluster) -> range.id.topic
      val key        = (world.topics(name).id, range.id.partition)
      val before     = read.getOrElse(key, Vector.empty)
      // A new id reads on while the old one drains, so only overlaps are wrong.
      val twice = before.exists { case (from, until) => from < range.until && range.from < until }
      assert(!twice, s"$range was read before: $before")
      copy(read = read.updated(key, before :+ (range.from -> range.until)))
    }
  }

  /** What the operator does about a warning. */
  private def pastes(places: Map[String, Place], notice: Notice): Map[String, Place] = notice match {
    case Notice.Duplicate(id, _, _, TopicClaim.StartGiven, positions) =>
      places.map { case (cluster, place) =>
        cluster -> (if (place.id == id.value) place.warned(positions) else place)
      }
    case _ => places
  }
}
