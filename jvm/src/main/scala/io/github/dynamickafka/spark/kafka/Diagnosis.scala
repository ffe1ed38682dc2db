package io.github.dynamickafka.spark.kafka

import java.util.concurrent.{CompletionException, ExecutionException}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.kafka.common.errors.{
  AuthenticationException,
  AuthorizationException,
  GroupAuthorizationException,
  SslAuthenticationException,
  TopicAuthorizationException
}

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.ClusterId

/** What was being done with a cluster when Kafka's client threw.
  *
  * @param doing such as "read the topics and offsets"
  * @param operation what must be allowed on the topics for it, such as "DESCRIBE"
  * @param topics which these are, for a refusal that does not say so; empty if it is about all of them
  * @param whose credentials may be refused, where that is not clear: " of an executor"
  */
final case class Attempt(
    cluster: ClusterId,
    doing: String,
    operation: String,
    topics: Iterable[String] = Nil,
    whose: String = ""
)

/** What an exception of Kafka's client means, the same on the driver and on executors: the one place that tells one from
  * another.
  *
  * @param happened a sentence
  * @param remedy what to do, a sentence without its full stop; none where it depends on who asks
  */
final case class Diagnosis(condition: Condition, happened: String, remedy: Option[String])

object Diagnosis {

  /** @param thrown by Kafka's client itself, or around that by what waited for it */
  def of(attempt: Attempt, thrown: Throwable): Diagnosis = {
    import attempt._
    root(thrown) match {
      // Either side may refuse, and the text tells which.
      case e: SslAuthenticationException => Diagnosis(
          Condition.AuthenticationFailed,
          s"No TLS connection with cluster $cluster comes about$whose (${told(e)}). Look whether the trust store trusts " +
            "the brokers' certificates, whether these are made out to the names in bootstrapServers, and whether the " +
            "brokers trust the key store's certificate.",
          Some("Correct them in the metadata")
        )
      case e: AuthenticationException => Diagnosis(
          Condition.AuthenticationFailed,
          s"Cluster $cluster refuses the credentials$whose (${told(e)}).",
          Some("Correct them in the metadata")
        )
      case e: GroupAuthorizationException => Diagnosis(
          Condition.NotAuthorized,
          s"Cluster $cluster does not allow to read what group ${e.groupId} has committed (${told(e)}).",
          Some(s"Allow DESCRIBE on group ${e.groupId}")
        )
      case e: AuthorizationException =>
        val refused = Diagnosis.topics(e, attempt)
        Diagnosis(
          Condition.NotAuthorized,
          s"Cluster $cluster does not allow operation $operation on $refused (${told(e)}), so nobody can $doing.",
          Some(s"Allow $operation on $refused")
        )
      case e => Diagnosis(Condition.ClusterUnreachable, s"Cannot $doing of cluster $cluster (${told(e)}).", None)
    }
  }

  /** Without what futures put around it. */
  @tailrec
  def root(thrown: Throwable): Throwable = thrown match {
    case e @ (_: ExecutionException | _: CompletionException) if e.getCause != null => root(e.getCause)
    case e                                                                          => e
  }

  /** An exception as part of a sentence. */
  def told(e: Throwable): String = s"${e.getClass.getSimpleName}: ${e.getMessage}"

  private def topics(e: AuthorizationException, attempt: Attempt): String = {
    val named = e match {
      case e: TopicAuthorizationException => e.unauthorizedTopics.asScala
      case _                              => Nil
    }
    (if (named.nonEmpty) named else attempt.topics).toVector.distinct.sorted match {
      case Vector() => "its topics"
      case names    => names.mkString("topic ", ", ", "")
    }
  }
}
