package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.observed.{Extent, LastKnown}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Random histories of one log with leader epochs, with `failOnDataLoss=false`: unclean leaders cut it and write on, some
  * say late where their log parts, the topic is paused, drivers crash. Compared with a naive reader that keeps every record
  * that it has read.
  */
class ProvenCutHistoriesSuite extends ManyHistories {
  import ProvenCutHistoriesSuite._

  private val moves: Gen[Move] = Gen.frequency(
    8 -> Gen.zip(Gen.option(Gen.choose(1L, 6L)), Gen.prob(0.3)).map { case (limit, silent) => Trigger(limit, silent) },
    5 -> Gen.choose(1, 9).map(Write(_)),
    3 -> Gen.choose(0, 12).map(Elect(_)),
    2 -> Gen.const(Pause),
    1 -> Gen.const(Crash)
  )

  property(
    "after a cut that its leader proves, the log is read on from there, and what was known and unread is counted"
  ) {
    forAll(Gen.choose(5, 60).flatMap(Gen.listOfN(_, moves))) { history =>
      (Trigger(None, silent = false) :: history).foldLeft(Run(Query(lossy), Log(), Naive()))(_ after _)
      Prop.passed
    }
  }
}

object ProvenCutHistoriesSuite {
  sealed trait Move                                              extends Product with Serializable
  final case class Write(count: Int)                             extends Move
  final case class Elect(cut: Int)                               extends Move
  final case class Trigger(limit: Option[Long], silent: Boolean) extends Move
  case object Pause                                              extends Move
  case object Crash                                              extends Move

  private val lossy  = fromEarliest.copy(failOnDataLoss = false, unavailable = skipping.unavailable)
  private val orders = listed("eu" -> topics("orders"))
  private val paused = listed("eu" -> topics("orders").paused)
  private val here   = partition("eu", "orders", 0)

  /** @param records the epoch of each. With its offset it names the record
    * @param epoch of the leader
    */
  final case class Log(records: Vector[Int] = Vector.empty, epoch: Int = 0) {
    def written(count: Int): Log = copy(records ++ Vector.fill(count)(epoch))
    def elected(cut: Int): Log   = Log(records.dropRight(cut), epoch + 1)

    def says(question: LogAgreement): Long =
      Some(
        records.indexWhere(_ > question.epoch)
      ).filter(_ >= 0).fold(records.size)(identity).toLong.min(question.position)
  }

  /** @param read the records from the first one of the log to the position
    * @param start of its incarnation
    * @param known how far the log could be read when it was looked at last, if that is beyond the position
    * @param proved the epoch of the leader that has shown a whole log since the driver began
    * @param doubt how much of it was known and unread when another leader was seen that has not shown a whole log yet
    */
  final case class Naive(
      read: Vector[Int] = Vector.empty,
      start: Int = 0,
      known: Option[Int] = None,
      proved: Option[Int] = None,
      doubt: Option[Int] = None
  ) {
    def next: Int   = read.size
    def unread: Int = doubt.getOrElse(known.fold(0)(_ - next).max(0))

    /** Where the log parts from what was read. */
    def parts(log: Log): Option[Int] =
      read.indices.find(at => !log.records.lift(at).contains(read(at)))
  }

  final case class Run(query: Query, log: Log, naive: Naive, rests: Boolean = false) {
    def after(move: Move): Run = move match {
      case Write(count) => copy(log = log.written(count))
      case Elect(cut)   => copy(log = log.elected(cut))
      case Pause        => copy(rests = !rests)
      case Crash        =>
        copy(query = query.copy(known = LastKnown.nothing, last = None), naive = Naive(naive.read, naive.start))
      case Trigger(limit, silent) =>
        copy(query = query.after(Duration.ofSeconds(5))).looked(limit, silent)
    }

    private def looked(limit: Option[Long], silent: Boolean): Run = {
      val end     = log.records.size
      val extent  = Extent(0, end.toLong, end.toLong, Some(log.epoch))
      val doubted = naive.proved.orElse(query.held.get(here).flatMap(_.epoch)).exists(_ != log.epoch)
      val seen    = query.sees(
        if (rests) paused else orders,
        {
          case Question(_, asked: LogAgreement) if !silent =>
            Some(log.says(asked))
        }
      )("eu" -> answer("orders" -> Present(Some("T1"), Map(0 -> extent))).of("K1"))
      val parts          = naive.parts(log).filter(_ => doubted)
      val (before, lost) = parts match {
        case _ if doubted && silent => (naive.copy(doubt = Some(naive.unread)), None)
        case Some(_) if rests       => (naive.copy(doubt = Some(naive.unread)), None)
        case Some(at) => (Naive(log.records.take(at), at, proved = Some(log.epoch)), Some(naive.unread.toLong))
        case None     => (naive.copy(proved = Some(log.epoch), doubt = None), None)
      }
      val reads = !rests && !(doubted && silent)
      val until = if (reads) limit.fold(end)(most => Math.min(end, before.next + most.toInt)) else before.next
      munit.Assertions.assertEquals(seen.notices.collect { case Notice.Lost(_, records, _) => records }, lost.toVector)
      val logged = seen.readSome(readable => limit.fold(readable)(_ => readable.transform((_, _) => until.toLong)))
      val after  = before.copy(
        read = if (reads) log.records.take(until) else before.read,
        known = Option.when(end > until)(end)
      )
      munit.Assertions.assertEquals(
        logged.held.get(here).map(at => (at.start, at.next)),
        Some((after.start.toLong, after.next.toLong))
      )
      copy(query = logged, naive = after)
    }
  }
}
