package io.github.dynamickafka.spark.read

import java.time.Duration
import java.util.{Collection => JCollection, Collections}

import scala.jdk.CollectionConverters._

import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.{RetriableException, TimeoutException}

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.kafka.consumer.EpochPosition
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** What one cluster's brokers say of their logs, and for how long nothing was read of them. The other clusters of the
  * task wait during a question, so [[ReadStall]] says when one may be asked, and for how long its answer is waited for.
  *
  * @param limit how long nothing may be read before the cluster counts as unreachable
  * @param agreement for how long brokers must say that a topic does not exist, while nothing of the cluster is read
  * @param unread what is not read to its end, for errors
  */
final private[read] class LogQuestions(
    lease: Lease,
    watch: Stopwatch,
    limit: Duration,
    agreement: Duration,
    unread: () => ClusterPart
) {
  private var stall = ReadStall()
  // Since when topics seem to be others than were planned.
  private var others = Map.empty[String, Long]
  // Since when brokers say that topics do not exist.
  private var missing = Map.empty[String, Long]
  // Since when the leaders of partitions seem to be earlier ones.
  private var earlier = Map.empty[TopicPartition, Long]

  // When the consumer was last exchanged for that.
  private var exchanged = Option.empty[Long]

  // The partitions whose leader is not known yet to be the one that said how far they can be read, or a later one.
  private var unled = Vector.empty[OpenPartition]

  def begun(): Unit                   = became(_ begun _)
  def advanced(): Unit                = { missing = Map.empty; became(_ broken _) }
  def failed(e: Exception): Unit      = became((stall, _) => stall.failed(e))
  def failedStill(e: Exception): Unit = became((stall, _) => stall.failedStill(e))

  /** The answer came from a broker that is behind. The next question waits a little. */
  def pause(): Unit = became(_ paused _)

  private def became(next: (ReadStall, Long) => ReadStall): Unit = stall = next(stall, watch.elapsed)

  def lasts(now: Long): Long   = stall.lasts(now)
  def cause: Option[Exception] = stall.cause
  def unanswered: Int          = stall.unanswered

  /** Whether the cluster counts as unreachable. */
  def over: Boolean = stall.lasts(watch.elapsed) > limit.toNanos

  def mayAsk: Boolean = stall.mayAsk(watch.elapsed)

  /** Whether the ends of ranges are to be compared with their logs now. */
  def suspicious: Boolean = {
    val due = stall.suspicious(watch.elapsed)
    if (due) stall = stall.compared
    due
  }

  /** What the cluster says, if it is the one that is meant: what another Kafka cluster says about these topics means
    * nothing, nor do its failures.
    */
  def recognised[A](answer: => A): A =
    try answer
    finally
      lease.mistaken.foreach { case (known, kafka) =>
        lease.clusterFailed()
        throw ReadFailures.changed(unread(), known, kafka)
      }

  /** The loss of the rest of a partition, if its topic has another id than was planned: it was re-created.
    *
    * The consumer fetches by the topic id that it knows, so records of the new topic count only once it knows the new id
    * ([[WarmConsumer.forgets]]). Records of the old topic that it has fetched by then look the same, so they are lost
    * too. An id alone, without records, may come from a broker that is behind: then fetches fail until the consumer asks
    * again. Brokers before 3.1 serve fetches by name: what they send before the consumer asks for ids again is not noticed.
    */
  def recreated(reading: OpenPartition): Option[Failure] = {
    val loss = for {
      planned <- reading.range.kafkaId
      now     <- lease.consumer.topicId(reading.range.id.topic) if now != planned
    } yield ReadFailures.recreated(reading.range, reading.position, planned, now)
    if (loss.isEmpty) others -= reading.range.id.topic
    loss
  }

  /** Whether it has been another topic for some time. A broker that is behind may still have the one before. */
  def staysRecreated(reading: OpenPartition): Boolean = {
    val now   = watch.elapsed
    val since = others.getOrElse(reading.range.id.topic, now)
    others += reading.range.id.topic -> since
    now - since >= LogQuestions.Behind
  }

  /** Whether brokers have said for long enough that a topic does not exist. One that was away may not know it yet.
    *
    * @param of partitions of the topic
    */
  def deleted(topic: String, of: JCollection[TopicPartition]): Boolean = {
    val before = missing.get(topic)
    val known  = lease.consumer.knowsAll(of)
    val is     = !known && ask(Collections.emptyList[TopicPartition])(lease.consumer.deleted(topic, _))
    if (is) missing += topic -> before.getOrElse(watch.elapsed) else missing -= topic
    is && before.exists(watch.elapsed - _ >= agreement.toNanos)
  }

  /** Whether what has come of a partition may be of an earlier leader than the one that has said how far it can be read. A
    * leader that was replaced may not know it yet, and may have other records. Where no later leader is found for long,
    * by another consumer either, the controllers have been restored, and what the leader has counts.
    */
  def outdated(reading: OpenPartition): Boolean = reading.range.epochs.until.exists { planned =>
    val before = earlier.get(reading.partition)
    val is     = lease.consumer.leaderEpoch(reading.partition).exists(_ < planned)
    if (is) earlier += reading.partition -> before.getOrElse(watch.elapsed) else earlier -= reading.partition
    // What comes first once the later one is known may be an answer of the earlier one.
    before.fold(is)(since => watch.elapsed - since < limit.toNanos / 2 || is && !exchanged.exists(_ >= since))
  }

  /** Whether this consumer has known none but an earlier leader of a partition for some time. Another one has another address:
    * the broker that this one asks may be cut off from all others.
    */
  def misled: Boolean = earlier.nonEmpty && {
    val now                = watch.elapsed
    def since(first: Long) = (exchanged ++ Some(first)).max
    val due = unled.exists(one => earlier.get(one.partition).exists(now - since(_) >= LogQuestions.Misled))
    if (due) exchanged = Some(now)
    due
  }

  /** From now on these partitions are fetched. */
  def fetched(more: Iterable[OpenPartition]): Unit =
    unled = (unled ++ more.filter(_.range.epochs.until.isDefined)).distinct

  /** Takes note of leaders that are earlier ones than was planned. What they send may come much later, behind the records of
    * others, when the later leader is known.
    */
  def noteLeaders(): Unit = unled = unled.filter(_.unread.nonEmpty).filter { reading =>
    val leader = lease.consumer.leaderEpoch(reading.partition)
    val is     = leader.exists(epoch => reading.range.epochs.until.exists(epoch < _))
    if (is && !earlier.contains(reading.partition)) earlier += reading.partition -> watch.elapsed
    is || leader.isEmpty
  }

  /** @throws RetriableException if the brokers do not answer in time; the same holds for [[agreement]] */
  def extents(of: JCollection[TopicPartition]): Map[TopicPartition, Extent] =
    ask(of)(lease.consumer.extents(of, _))

  /** Up to where the logs hold what was planned, for those of these ranges that have epochs: [[WarmConsumer.agreement]]. */
  def agreement(of: Iterable[OpenPartition]): Map[TopicPartition, Option[Long]] = {
    val ends = (for {
      reading <- of
      epoch   <- reading.range.epochs.until
    } yield reading.partition -> EpochPosition(reading.range.until, epoch)).toMap
    if (ends.isEmpty) Map.empty
    else
      ask(ends.keySet.asJava) { timeout =>
        val said = lease.consumer.agreement(ends, timeout)
        if (said.isEmpty) throw new TimeoutException("no leader says whether its log was cut")
        said
      }
  }

  private def ask[A](of: JCollection[TopicPartition])(question: Duration => A): A = {
    val asked = watch.elapsed
    try {
      val patience =
        if (stall.lasts(asked) > limit.toNanos) ReadStall.Last else stall.patience(asked, limit.toNanos)
      val found = recognised(question(patience))
      if (!lease.consumer.knowsAll(of)) throw new TimeoutException("the consumer does not know these topics")
      stall = stall.answered
      found
    } catch {
      case e: RetriableException =>
        stall = stall.noAnswer(asked, watch.elapsed)
        throw e
    }
  }
}

private object LogQuestions {

  // In nanoseconds. A broker that was away learns sooner whom it follows and which topics exist.
  val Behind: Long = Duration.ofSeconds(2).toNanos
  val Misled: Long = Duration.ofSeconds(5).toNanos
}
