package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.TopicId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.StepContext
import io.github.dynamickafka.spark.reconcile.observed.{Extent, LogProof, SuspectedCut}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Whether the logs of a topic still hold what was read of them. A log that was cut off is read from there, because the
  * records there are new.
  *
  * Kafka proves it by leader epochs. Where it can't, a log that ends before the position is held until asks over some time
  * agree. If the brokers give the topic no id, it may also have been created again, and counts as that.
  */
final class LogTruncation(id: TopicId, topic: TopicOffset, present: Present, context: StepContext) {
  import context.{input, policy}

  // Most logs keep their leader, and end at their position or after it.
  private val proofs: Map[Int, LogProof] = (for {
    (number, position) <- topic.partitions.iterator if !topic.ended(number)
    extent             <- present.partitions.get(number)
    partition = id.partition(number)
    proof     = LogProof.of(partition, input.basis.proved(partition, position, extent), extent, input.answers)
    if proof != LogProof.Unknown && position.epoch != extent.epoch
  } yield number -> proof).toMap

  private val suspected: Map[Int, SuspectedCut] = input.known.suspectedLosses.cuts(id).filter { case (number, log) =>
    !proofs.contains(number) && topic.partitions.get(number).exists(log.isOf)
  }

  private case class Cut(partition: Int, at: Long, unread: Long) {
    def position: PartitionOffset = topic.partitions(partition)
  }

  private def proven: Vector[Cut] = proofs.toVector.sortBy(_._1).collect { case (number, LogProof.Cut(at)) =>
    val unread = input.known.suspectedLosses.unread.get(id.partition(number)).filter(_.isOf(topic.partitions(number)))
    Cut(number, at, unread.fold(0L)(_.records))
  }

  private def agreed: Vector[Cut] = for {
    (number, log) <- suspected.toVector.sortBy(_._1) if log.agreed(policy.agreement)
    extent        <- present.partitions.get(number)
  } yield Cut(number, Math.min(log.lowest, extent.written), log.unread)

  private lazy val cuts: Vector[Cut] = proven ++ agreed
  private lazy val gone: Set[Int]    = cuts.map(_.partition).toSet

  /** The loss of what was cut off, if anything was. */
  def loss: Option[Loss] = Some(cuts).filter(_.nonEmpty).map { all =>
    val ends = all.map { one =>
      say"partition ${Named.partition(one.partition)}: read up to ${one.position.next}, cut off at ${one.at}"
    }
    val log  = Named.topicOf(id.cluster, id.name)
    val what = say"The log of $log ends before what was read of it (${Wording.first(ends, "; ")})"
    if (!present.isSame(topic))
      Recreated.begun(id, topic, present, input, all.map(_.unread).sum, LogTruncation.cutOrRecreated(what))
    else {
      val failure = LogTruncation.cut(what)
      Loss(
        failure,
        all.map(one => Notice.Lost(id.partition(one.partition), one.unread, failure)),
        topic.copy(partitions =
          topic.partitions ++ all.map(one =>
            one.partition -> one.position.restarted(one.at, present.partitions(one.partition).epoch)
          )
        )
      )
    }
  }

  /** Whether the log of a partition was cut off. */
  def cut(partition: Int): Boolean = gone(partition)

  /** Whether a partition waits until it is known whether its log was cut off. */
  def waits(partition: Int): Boolean = proofs.get(partition).contains(LogProof.Open) || suspects(partition)

  /** Whether the log of a partition seems to be cut off, and later answers have not settled it. */
  def suspects(partition: Int): Boolean = suspected.get(partition).exists(!_.asks.spans(policy.agreement))

  /** The partitions whose leader has not said whether their log was cut off. */
  def unproved: Set[Int] = proofs.collect { case (number, LogProof.Open) => number }.toSet

  /** Those of them whose leader was asked about this very position, and left it open. An earlier ask was about an
    * earlier position. If a position is handed over in this step, no leader was asked about it yet.
    */
  def silent: Set[Int] = unproved.filter { number =>
    val partition = id.partition(number)
    val position  = topic.partitions(number)
    val extent    = present.partitions(number)
    input.basis.last.getOrElse(input.held).get(partition).exists(_.isAt(position)) &&
    LogProof.question(partition, input.basis.proved(partition, position, extent), extent).exists(input.asked)
  }

  /** The extents that decide ends. Left out are logs of which it is not known where they ended: those that wait or were cut
    * off, and those whose leader does not report yet all that it is known to have.
    */
  def certain: Map[Int, Extent] =
    if (proofs.isEmpty && suspected.isEmpty) present.partitions
    else present.partitions.filterNot { case (number, extent) =>
      gone(number) || waits(number) ||
      proofs.get(number).contains(LogProof.Whole) && extent.written < topic.partitions(number).next
    }

  /** The topic, where each position has the newest epoch for which it is proved. So no proof is asked for again. */
  def proved: TopicOffset = led(whole)

  /** The same, where logs that have grown again are read on too, though a cut can't be ruled out. */
  def readOn: TopicOffset = named(led(whole ++ grown.map(_._1)))

  private def whole: Iterable[Int] = proofs.collect { case (number, LogProof.Whole) => number }

  private def led(known: Iterable[Int]): TopicOffset = {
    val later = for {
      number <- known
      position = topic.partitions(number)
      // What was proved for a later epoch stays proved.
      epoch = Seq(position.epoch, present.partitions(number).epoch).flatten.maxOption
    } yield number -> position.copy(epoch = epoch)
    if (later.isEmpty) topic else topic.copy(partitions = topic.partitions ++ later)
  }

  /** The topic with Kafka's id, which is held from now on. */
  def named(topic: TopicOffset): TopicOffset =
    if (topic.kafkaId.isDefined || doubtful) topic else topic.copy(kafkaId = present.kafkaId)

  /** Whether the topic may be another one than was read. Then its id must not be taken for the old one's. */
  def doubtful: Boolean = !present.isSame(topic) && present.truncated(topic, input.held).nonEmpty

  /** Logs that ended before their position, and do not any more: they are held for a while, and then read on.
    *
    * @param of which partitions
    */
  def notices(of: Int => Boolean = _ => true): Vector[Notice] = {
    val waiting = suspected.toVector.filter { case (number, log) =>
      of(number) && !log.short && waits(number) && log.lowest < topic.partitions(number).next
    }
    waiting.map { case (number, log) =>
      Notice.BeyondEnd(id.partition(number), topic.partitions(number), log.lowest)
    } ++
      grown.filter { case (number, _) => of(number) }.map { case (number, log) =>
        Notice.GrownAgain(id.partition(number), topic.partitions(number), log.lowest)
      }
  }

  private def grown: Vector[(Int, SuspectedCut)] = suspected.toVector.sortBy(_._1).filter { case (number, log) =>
    log.grown(policy.agreement) && present.partitions.contains(number)
  }
}

object LogTruncation {
  private def cut(what: Wording): Failure = Failure(
    Condition.DataLoss,
    say"$what, and the topic is the same: it was cut off, as by the election of an unclean leader. What was written " +
      "in its place and lies before the position would be missed. To continue where it was cut off, set failOnDataLoss to false."
  )

  private def cutOrRecreated(what: Wording): Failure = Failure(
    Condition.TopicRecreated,
    say"$what. The brokers give the topic no id, so it is not known whether it was deleted and created again, or cut off by " +
      "the election of an unclean leader. To read it again from its earliest record, set failOnDataLoss to false."
  )
}
