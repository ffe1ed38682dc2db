package io.github.dynamickafka.spark.metrics

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.report.Notice

/** The metric `cluster.<id>.cause`: why a cluster is not read as it should be. It has the conditions and texts of the
  * warnings, which contain no secrets.
  */
object ClusterCause {

  /** The causes, by cluster. */
  def of(notices: Vector[Notice]): Map[ClusterId, String] =
    notices.flatMap(notice => cause(notice)).groupMap(_._1)(_._2).map { case (id, failures) =>
      id -> clipped(failures.distinct.mkString(" "))
    }

  private def cause(notice: Notice): Option[(ClusterId, Failure)] = notice match {
    case Notice.Unavailable(id, failure) => Some(id -> failure)
    case Notice.HeldAlone(held, failure) => Some(held.cluster -> failure)
    case missing: Notice.MissingTopic    => Some(missing.cluster -> missing.warning)
    case duplicate: Notice.Duplicate     => Some(duplicate.cluster -> duplicate.warning)
    case mirror: Notice.MirrorBehind     => Some(mirror.cluster -> mirror.warning)
    case beyond: Notice.BeyondEnd        => Some(beyond.id.cluster -> beyond.warning)
    // These happen once. Afterwards their topic is read again, or is gone.
    case _: Notice.LeftBehind | _: Notice.BelowPosition | _: Notice.StandsBy | _: Notice.Mirrored | _: Notice.Abandoned |
        _: Notice.NeverReached | _: Notice.Lost => None
  }

  // Each progress event contains it.
  private val Longest = 1000

  private def clipped(text: String): String = if (text.length > Longest) s"${text.take(Longest)}…" else text
}
