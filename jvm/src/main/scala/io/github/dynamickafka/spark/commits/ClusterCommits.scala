package io.github.dynamickafka.spark.commits

import java.time.{Duration, Instant}

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.errors.Failure

/** What is published of one cluster, as a value. At most one commit is under way, and the newest positions win.
  *
  * @param current all that should be published now
  * @param open what is to be committed next
  * @param published the positions that were committed since the start
  * @param renewed when all was committed last
  * @param failing set while the last commit failed
  */
final case class ClusterCommits(
    current: Map[TopicPartition, Long] = Map.empty,
    open: Map[TopicPartition, Long] = Map.empty,
    published: Map[TopicPartition, Long] = Map.empty,
    stage: CommitStage = CommitStage.Idle,
    renewed: Option[Instant] = None,
    failing: Option[FailingCommits] = None
) {
  import ClusterCommits._

  /** The same with newer positions. What is committed, or under way, is not committed again. */
  def wanting(positions: Map[TopicPartition, Long]): ClusterCommits = {
    val sent = stage match {
      case CommitStage.UnderWay(commit)             => published ++ commit
      case CommitStage.Idle | CommitStage.Beginning => published
    }
    copy(
      current = positions,
      open = (open ++ positions).filter { case (partition, next) => !sent.get(partition).contains(next) }
    )
  }

  /** Whether a run of commits should begin. */
  def due(now: Instant): Boolean = stage == CommitStage.Idle && ready(now)

  /** Whether the last positions should still be committed when the query ends. A cluster that fails is not waited for. */
  def last: Boolean = failing.isEmpty && (open.nonEmpty || stage != CommitStage.Idle)

  def beginning: ClusterCommits = copy(stage = CommitStage.Beginning)
  def idle: ClusterCommits      = copy(stage = CommitStage.Idle)

  /** The next commit is under way. If there is nothing to commit, the run has ended. */
  def next(now: Instant): ClusterCommits =
    if (!ready(now)) idle
    else {
      val (commit, rest) = (if (old(now)) current ++ open else open).splitAt(MostAtOnce)
      val since          = if (old(now)) Some(now) else renewed
      copy(stage = CommitStage.UnderWay(commit), open = rest, renewed = since)
    }

  def done(outcome: CommitOutcome, now: Instant): ClusterCommits = stage match {
    case CommitStage.UnderWay(commit) =>
      val (refused, failure) = outcome match {
        case CommitOutcome.Committed             => (Map.empty[TopicPartition, Long], None)
        case CommitOutcome.Refused(refused, why) => (commit.filter(part => refused(part._1)), Some(why))
        case CommitOutcome.Closed                => (commit, None)
      }
      copy(
        // Newer positions win.
        open = refused ++ open,
        published = published ++ (commit -- refused.keySet),
        stage = if (outcome == CommitOutcome.Closed) CommitStage.Idle else CommitStage.Beginning,
        failing = failure.map(why => FailingCommits(now, why))
      )
    case CommitStage.Idle | CommitStage.Beginning => this
  }

  private def ready(now: Instant): Boolean =
    !failing.exists(failed => within(failed.at, Pause, now)) && (open.nonEmpty || old(now))

  private def old(now: Instant): Boolean = current.nonEmpty && !renewed.exists(within(_, Renewal, now))

  // A time after now is from before the clock was set back.
  private def within(at: Instant, time: Duration, now: Instant): Boolean =
    !at.isAfter(now) && at.plus(time).isAfter(now)
}

object ClusterCommits {

  /** How many positions one commit has. A broker writes them as one batch of records, of about 100 bytes each, and refuses
    * a batch above `max.message.bytes`, 1 MB by default.
    */
  val MostAtOnce = 2000

  /** How long nothing is committed after a failed commit. */
  val Pause: Duration = Duration.ofSeconds(10)

  /** Brokers forget a position that is not committed again for some time (`offsets.retention.minutes`, 7 days by
    * default). So all positions are committed again this often, also those of partitions without new records.
    */
  val Renewal: Duration = Duration.ofHours(1)
}

/** @param at when the last commit failed */
final case class FailingCommits(at: Instant, why: Failure)

/** What happens to a cluster's commits now. */
sealed trait CommitStage extends Product with Serializable

object CommitStage {
  case object Idle extends CommitStage

  /** A run has begun, and no commit is under way. */
  case object Beginning extends CommitStage

  final case class UnderWay(commit: Map[TopicPartition, Long]) extends CommitStage
}
