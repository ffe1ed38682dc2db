package io.github.dynamickafka.spark.kafka.failure

import java.time.Duration
import java.util.concurrent.{CompletionException, ExecutionException, TimeoutException => NoAnswer}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.kafka.common.errors.{
  AuthenticationException,
  AuthorizationException,
  GroupAuthorizationException,
  SslAuthenticationException,
  TimeoutException,
  TopicAuthorizationException
}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.DurationText

/** What was tried on a cluster when Kafka's client threw.
  *
  * @param doing such as "read the topics and offsets"
  * @param operation what must be allowed on the topics for it, such as "DESCRIBE"
  * @param topics for a refusal that does not name its topics; empty if it is about all of them
  * @param whose credentials may be refused, where that is not clear: " of an executor"
  */
final case class Attempt(
    cluster: ClusterId,
    doing: String,
    operation: String,
    topics: Iterable[String] = Nil,
    whose: String = ""
)

/** What an exception of Kafka's client means, the same on the driver and on executors. No other place distinguishes these
  * exceptions.
  *
  * @param happened a sentence
  * @param remedy what to do, a sentence without its full stop; none where it depends on who asks
  */
final case class Diagnosis(condition: Condition, happened: Wording, remedy: Option[String])

object Diagnosis {

  /** @param thrown by Kafka's client, or by what waited for it with that as its cause */
  def of(attempt: Attempt, thrown: Throwable): Diagnosis = {
    import attempt._
    root(thrown) match {
      // Either side may refuse. The text of the exception shows which one.
      case e: SslAuthenticationException => Diagnosis(
          Condition.AuthenticationFailed,
          say"The TLS handshake with cluster $cluster$whose failed (${text(e)}). Check that the trust store trusts the " +
            "brokers' certificates, that these are issued for the names in bootstrapServers, and that the brokers trust " +
            "the key store's certificate.",
          Some("Correct them in the metadata")
        )
      case e: AuthenticationException => Diagnosis(
          Condition.AuthenticationFailed,
          say"Cluster $cluster refuses the credentials$whose (${text(e)}).",
          Some("Correct them in the metadata")
        )
      case e: GroupAuthorizationException => Diagnosis(
          Condition.NotAuthorized,
          say"Cluster $cluster does not allow reading the committed offsets of group ${e.groupId} (${text(e)}).",
          Some(s"Allow DESCRIBE on group ${e.groupId}")
        )
      case e: AuthorizationException =>
        val refused = Diagnosis.topics(e, attempt)
        Diagnosis(
          Condition.NotAuthorized,
          say"Cluster $cluster does not allow operation $operation on $refused (${text(e)}), so the source can't $doing.",
          Some(s"Allow $operation on $refused")
        )
      case e => Diagnosis(Condition.ClusterUnreachable, say"Cannot $doing of cluster $cluster (${text(e)}).", None)
    }
  }

  /** What the driver reports of a cluster that failed to answer.
    *
    * @param limit how long the answer was waited for
    * @param thrown by Kafka's client, by opening it, or by what waited for it
    */
  def failure(attempt: Attempt, limit: Duration)(thrown: Throwable): Failure = root(thrown) match {
    case known: DynamicKafkaException => Failure(known.condition, known.wording)
    case _: NoAnswer                  =>
      failure(attempt, limit)(new TimeoutException(s"no answer within ${DurationText.text(limit)}"))
    case other =>
      val found  = of(attempt, other)
      val remedy = found.remedy.getOrElse("Check that its brokers run and can be reached from the driver")
      Failure(found.condition, say"${found.happened} $remedy.")
  }

  /** The exception itself, without those that futures put around it. */
  @tailrec
  def root(thrown: Throwable): Throwable = thrown match {
    case e @ (_: ExecutionException | _: CompletionException) if e.getCause != null => root(e.getCause)
    case e                                                                          => e
  }

  /** An exception as part of a sentence. */
  def text(e: Throwable): String = s"${e.getClass.getSimpleName}: ${e.getMessage}"

  private def topics(e: AuthorizationException, attempt: Attempt): Wording = {
    val named = e match {
      case e: TopicAuthorizationException if !e.unauthorizedTopics.isEmpty => e.unauthorizedTopics.asScala
      case _                                                               => attempt.topics
    }
    named.toVector.distinct.sorted match {
      case Vector() => "its topics"
      case names    => say"topic ${Wording.first(names.map(Named.topic))}"
    }
  }
}
