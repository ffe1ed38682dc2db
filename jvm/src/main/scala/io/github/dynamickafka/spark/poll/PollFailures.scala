package io.github.dynamickafka.spark.poll

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Say, Wording}
import io.github.dynamickafka.spark.options.{DiscoverySettings, DurationText}

/** The errors of asking the metadata service. */
final private[poll] class PollFailures(settings: DiscoverySettings) {
  private val limit = s"metadataRequestTimeout is ${DurationText.text(settings.requestTimeout)}"

  /** What a call threw, as a failure with a condition. */
  def of(thrown: Throwable): DynamicKafkaException = thrown match {
    case known: DynamicKafkaException => known
    case other                        =>
      unavailable(
        s"The metadata could not be fetched: ${other.getClass.getName}: ${other.getMessage}. See the cause, and " +
          "repair the metadata service.",
        other
      )
  }

  val noAnswer: DynamicKafkaException =
    unavailable("The fetch of the metadata returned null. Repair the metadata service.")

  /** A call of the service took too long. */
  def late: DynamicKafkaException = unavailable(
    s"The metadata service did not answer in time ($limit); its late answer is dropped. Find out what delays it, or " +
      "raise metadataRequestTimeout."
  )

  /** The same at the start, where all waiting counts.
    *
    * @param waited whether the call was still waiting for another query's call
    */
  def lateAtStart(waited: Boolean): DynamicKafkaException =
    if (waited)
      unavailable(
        s"The metadata service could not be asked in time ($limit): another query's call to the same service object did " +
          "not end, and at the start of a query that wait counts. Find out what delays that call, give each query its " +
          "own service object, or raise metadataRequestTimeout."
      )
    else late

  /** An earlier call has not returned. */
  def hanging: DynamicKafkaException = unavailable(
    s"The metadata service still hangs in a call whose time limit is over ($limit), so it was not asked again. Find out " +
      "what delays it."
  )

  /** More failures than the options tolerate. */
  def tooMany(health: PollHealth): DynamicKafkaException = unavailable(
    say"The metadata could not be fetched ${health.failures} times in a row, which is more than " +
      s"metadataDiscoveryFailureThreshold (${settings.failureThreshold.fold("-1")(_.toString)}) tolerates. Last good answer: " +
      say"${health.lastGood.fold("none")(_.toString)}. Last failure: ${health.lastFailure.fold[Wording]("none")(last =>
          say"${last.condition} ${last.wording}"
        )} " +
      "Repair the metadata service and restart the query, which resumes where it stopped; or raise the threshold.",
    health.lastFailure.orNull
  )

  private def unavailable(detail: Wording, cause: Throwable = null): DynamicKafkaException =
    DynamicKafkaException(Condition.MetadataUnavailable, detail, cause)
}

private[poll] object PollFailures {
  // Numbers and ids that may differ each time. Each run of such characters is read once, however long it is.
  private val Changing = "(?<![0-9a-fA-F-])[a-fA-F-]*+[0-9][0-9a-fA-F-]*+".r

  /** Failures are over. */
  def over(before: PollHealth): String =
    s"${Condition.MetadataUnavailable} The metadata can be fetched again. Until now the query used older metadata. " +
      s"lastGood=${before.lastGood.fold("none")(_.toString)} failures=${before.failures}"

  /** What distinguishes a failure from others. In a text of other code, numbers and ids do not count. */
  def cause(failure: DynamicKafkaException): String =
    if (failure.getCause == null) failure.getMessage else Changing.replaceAllIn(failure.getMessage, "#")
}
