package io.github.dynamickafka.spark.poll

import java.time.Instant

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metadata.FetchedTopology

/** One good answer of the metadata service.
  *
  * @param number goes up by one with each good answer of this start, from 1
  * @param began when the service was asked
  * @param ended when the answer was complete
  */
final case class Answer(fetched: FetchedTopology, number: Long, began: Instant, ended: Instant)

/** All that a poller knows: the one value it changes.
  *
  * @param answer the latest good one; none before the first
  * @param draining clusters whose activity is asked for beside that of the listed ones
  * @param call the one that is on its way, each on a thread of its own
  * @param tries the calls that were made
  */
final case class PollState(
    answer: Option[Answer] = None,
    health: PollHealth = PollHealth(),
    draining: Set[ClusterId] = Set.empty,
    private[poll] val call: Option[Call] = None,
    private[poll] val closed: Boolean = false,
    private[poll] val tries: Tries = Tries()
) {

  /** What the latest good answer says; asked for after the first one alone. */
  def fetched: FetchedTopology =
    answer.getOrElse(throw new IllegalStateException("the metadata was not fetched yet")).fetched

  /** Whether nothing stands against a new call. */
  private[poll] def free: Boolean = !closed && call.isEmpty

  /** Whether a call waits for another query's to end. */
  private[poll] def waiting: Boolean = call.exists(_.phase == Phase.Waiting)

  /** Whether a call hangs whose time is over. */
  private[poll] def overdue: Boolean = call.exists(_.phase == Phase.Late)

  /** Whether this call's outcome still counts. */
  private[poll] def awaits(thread: Thread): Boolean =
    !closed && call.exists(call => (call.thread eq thread) && call.phase != Phase.Late)

  /** What became of the fetch that begins after a moment, if anything did. */
  private[poll] def after(moment: Instant): Option[LaterFetch] = {
    val call    = tries.after(moment)
    val brought = answer.filter(_.began.isAfter(moment) || call.exists(_.good)).map(LaterFetch.Brought(_))
    brought.orElse(Option.when(closed || overdue || call.isDefined)(LaterFetch.Failed))
  }

  private[poll] def wanting(moment: Instant): PollState = copy(tries = tries.wanting(moment))

  /** Whether the fetch that is wanted is still to come. */
  private[poll] def unmet: Boolean = tries.wanted.exists(want => after(want.moment).isEmpty)

  private[poll] def asking(thread: Thread, now: Instant): PollState =
    if (free) copy(call = Some(Call(thread, Phase.Waiting, now)), tries = tries.launched) else this

  private[poll] def running(thread: Thread, now: Instant): PollState =
    if (awaits(thread)) copy(call = Some(Call(thread, Phase.Running, now))) else this

  private[poll] def answered(thread: Thread, found: FetchedTopology, began: Instant, ended: Instant): PollState =
    if (awaits(thread))
      copy(
        answer = Some(Answer(found, answer.fold(1L)(_.number + 1), began, ended)),
        health = health.succeeded(ended),
        call = None,
        tries = tries.over(began, good = true)
      )
    else over(thread)

  private[poll] def failed(thread: Thread, failure: DynamicKafkaException): PollState =
    if (awaits(thread)) copy(health = health.failed(failure), call = None, tries = vain) else over(thread)

  /** The call's time is over: that is a failure, and whatever it still brings is dropped. */
  private[poll] def expired(thread: Thread, failure: DynamicKafkaException): PollState =
    if (awaits(thread))
      copy(health = health.failed(failure), call = call.map(_.copy(phase = Phase.Late)), tries = vain)
    else this

  /** One more interval in which nothing could be asked. */
  private[poll] def missed(failure: DynamicKafkaException): PollState =
    if (closed) this else copy(health = health.failed(failure))

  private def vain: Tries = call.fold(tries)(call => tries.over(call.began, good = false))

  private def over(thread: Thread): PollState =
    if (call.exists(_.thread eq thread)) copy(call = None) else this
}

/** What became of a fetch that begins after a given moment. */
sealed trait LaterFetch extends Product with Serializable

object LaterFetch {
  final case class Brought(answer: Answer) extends LaterFetch

  /** It failed, or the service hangs in an earlier call. */
  case object Failed extends LaterFetch

  /** It is not over yet. */
  case object Pending extends LaterFetch
}

/** One call of the service, on its own thread.
  *
  * @param began when it was launched; while it runs, when the service was asked
  */
final private[poll] case class Call(thread: Thread, phase: Phase, began: Instant)

/** How far a call is. */
sealed private[poll] trait Phase extends Product with Serializable

private[poll] object Phase {

  /** For the lock of a service object that other queries use too. */
  case object Waiting extends Phase
  case object Running extends Phase

  /** Its time is over, and it has not come back. */
  case object Late extends Phase
}
