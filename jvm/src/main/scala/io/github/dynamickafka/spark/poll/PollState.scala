package io.github.dynamickafka.spark.poll

import java.time.Instant

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metadata.FetchedTopology
import io.github.dynamickafka.spark.reconcile.FailureJudge.Later

/** One good answer of the metadata service.
  *
  * @param number goes up by one with each good answer of this start, from 1
  * @param began when the service was asked
  * @param ended when the answer was complete
  * @param order when the service was asked, among all calls ([[io.github.dynamickafka.spark.ask.CallOrder]])
  */
final case class MetadataAnswer(fetched: FetchedTopology, number: Long, began: Instant, ended: Instant, order: Long)

/** The whole state of a poller, as one value.
  *
  * @param answer the latest good answer; none before the first
  * @param draining clusters that are asked about in addition to the listed ones
  * @param call the call under way; each call has its own thread
  * @param ended the number of the last call whose outcome counts, success or failure
  * @param wanted a call that begins after this one is needed at once
  */
final case class PollState(
    answer: Option[MetadataAnswer] = None,
    health: PollHealth = PollHealth(),
    draining: Set[ClusterId] = Set.empty,
    private[poll] val call: Option[Call] = None,
    private[poll] val closed: Boolean = false,
    private[poll] val ended: Long = 0,
    private[poll] val wanted: Long = 0
) {

  /** The content of the latest good answer. Fails before the first one. */
  def fetched: FetchedTopology =
    answer.getOrElse(throw new IllegalStateException("the metadata was not fetched yet")).fetched

  /** Whether a new call may begin. */
  private[poll] def free: Boolean = !closed && call.isEmpty

  /** Whether a call waits for another query's call to end. */
  private[poll] def waiting: Boolean = call.exists(_.phase == Phase.Waiting)

  /** Whether a call hangs beyond its time limit. */
  private[poll] def overdue: Boolean = call.exists(_.phase == Phase.Late)

  /** Whether this call's outcome still counts. */
  private[poll] def awaits(thread: Thread): Boolean =
    !closed && call.exists(call => (call.thread eq thread) && call.phase != Phase.Late)

  /** The outcome of a fetch that began after this call, if there is one. */
  private[poll] def after(number: Long): Option[LaterFetch] =
    answer.filter(_.order > number).map(LaterFetch.Succeeded(_))
      .orElse(Option.when(closed || overdue || ended > number)(LaterFetch.Failed))

  private[poll] def wanting(after: Long): PollState = copy(wanted = Math.max(wanted, after))

  /** Whether the fetch that somebody waits for has not begun yet. */
  private[poll] def unmet: Boolean = after(wanted).isEmpty

  private[poll] def asking(thread: Thread, order: Long): PollState =
    if (free) copy(call = Some(Call(thread, Phase.Waiting, order))) else this

  private[poll] def running(thread: Thread, order: Long): PollState =
    if (awaits(thread)) copy(call = Some(Call(thread, Phase.Running, order))) else this

  private[poll] def answered(thread: Thread, found: FetchedTopology, began: Instant, ended: Instant): PollState =
    if (awaits(thread))
      copy(
        answer = Some(MetadataAnswer(found, answer.fold(1L)(_.number + 1), began, ended, call.fold(0L)(_.began))),
        health = health.succeeded(ended),
        call = None,
        ended = over
      )
    else over(thread)

  private[poll] def failed(thread: Thread, failure: DynamicKafkaException): PollState =
    if (awaits(thread)) copy(health = health.failed(failure), call = None, ended = over)
    else over(thread)

  /** The call's time limit is over: it failed, and its late answer is dropped. */
  private[poll] def expired(thread: Thread, failure: DynamicKafkaException): PollState =
    if (awaits(thread))
      copy(health = health.failed(failure), call = call.map(_.copy(phase = Phase.Late)), ended = over)
    else this

  /** One more interval in which the service could not be asked. */
  private[poll] def missed(failure: DynamicKafkaException): PollState =
    if (closed) this else copy(health = health.failed(failure))

  private def over: Long = call.fold(ended)(_.began)

  private def over(thread: Thread): PollState =
    if (call.exists(_.thread eq thread)) copy(call = None) else this
}

/** The outcome of a fetch that begins after a given call. */
sealed trait LaterFetch extends Product with Serializable {

  /** What it says about a failure. */
  def seen: Later = this match {
    case LaterFetch.Succeeded(answer) => Later.Lists(answer.fetched.topology)
    case LaterFetch.Failed            => Later.Failed
    case LaterFetch.Pending           => Later.Pending
  }
}

object LaterFetch {
  final case class Succeeded(answer: MetadataAnswer) extends LaterFetch

  /** It failed, or the service hangs in an earlier call. */
  case object Failed extends LaterFetch

  /** It is not over yet. */
  case object Pending extends LaterFetch
}

/** One call of the service, on its own thread.
  *
  * @param began its number when it was launched or, once it has the service's lock, when the service was asked
  */
final private[poll] case class Call(thread: Thread, phase: Phase, began: Long)

/** The progress of a call. */
sealed private[poll] trait Phase extends Product with Serializable

private[poll] object Phase {

  /** It waits for the lock of a service object that other queries use too. */
  case object Waiting extends Phase
  case object Running extends Phase

  /** Its time limit is over, and it has not returned. */
  case object Late extends Phase
}
