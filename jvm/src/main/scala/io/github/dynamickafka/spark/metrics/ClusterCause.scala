package io.github.dynamickafka.spark.metrics

import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.driver.report.{MissingStreams, RetentionWarning, StepEvent}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.report.Notice

/** The metric `cluster.<id>.cause`: why a cluster is not read as it should be, or soon will not be. It has the
  * conditions and texts of the warnings, which contain no secrets.
  */
object ClusterCause {

  /** The text of the one cause without a condition. */
  val OpenTransaction = "waits for the end of an open transaction"

  /** The causes, by cluster.
    *
    * @param offset what the query has read
    */
  def of(last: LastStep, state: DriverState, offset: SourceOffset): Map[ClusterId, String] = {
    val noticed = last.reconciled.notices.flatMap(notice => cause(notice))
    val untimed = state.untimed.toVector.sortBy(_._1).map { case (id, failure) => id -> failure.toString }
    val drains  = StepEvent.of(last).collect { case StepEvent.DrainWaits(id, topic, records) =>
      id -> (s"Draining topic $topic $OpenTransaction, which holds back $records records. End " +
        "the transaction of its producer, or wait until Kafka aborts it.")
    }
    val ageing = RetentionWarning.of(state.backlog, offset, last.at).map(one => one.cluster -> one.warning.toString)
    val gone   = MissingStreams.of(last.survey.topology, offset).map(one => one.cluster -> one.warning.toString)
    (noticed ++ gone ++ untimed ++ drains ++ ageing).groupMap(_._1)(_._2).map { case (id, texts) =>
      id -> Shortened(texts.distinct.mkString(" "))
    }
  }

  private def cause(notice: Notice): Option[(ClusterId, String)] = (notice match {
    case Notice.Unavailable(id, failure)     => Some(id -> failure)
    case Notice.TopicsSkipped(held, failure) => Some(held.cluster -> failure)
    case missing: Notice.MissingTopic        => Some(missing.cluster -> missing.warning)
    case duplicate: Notice.Duplicate         => Some(duplicate.cluster -> duplicate.warning)
    case mirror: Notice.MirrorBehind         => Some(mirror.cluster -> mirror.warning)
    case beyond: Notice.BeyondEnd            => Some(beyond.id.cluster -> beyond.warning)
    // These happen once. Afterwards their topic is read again, or is gone.
    case _: Notice.LeftBehind | _: Notice.BelowPosition | _: Notice.EarlierLine | _: Notice.Joined | _: Notice.Mirrored | _: Notice.Abandoned |
        _: Notice.NeverReached | _: Notice.NeverBegun | _: Notice.Lost | _: Notice.GrownAgain | _: Notice.ReadAgain =>
      None
  }).map { case (id, failure) => id -> failure.toString }
}
