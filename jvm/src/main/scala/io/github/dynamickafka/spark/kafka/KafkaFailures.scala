package io.github.dynamickafka.spark.kafka

import java.util.concurrent.{CompletionException, ExecutionException}

import scala.annotation.tailrec

import org.apache.kafka.common.errors.{
  AuthenticationException,
  AuthorizationException,
  GroupAuthorizationException,
  SslAuthenticationException,
  TopicAuthorizationException
}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure}
import io.github.dynamickafka.spark.ids.ClusterId

/** What an exception of a Kafka client means for the cluster it was talking to. */
object KafkaFailures {

  /** @param doing what was being done, such as "read the end offsets"
    * @param where the operation that must be allowed, such as "DESCRIBE on its topics"
    */
  def of(cluster: ClusterId, doing: String, where: String)(thrown: Throwable): Failure = root(thrown) match {
    case known: DynamicKafkaException => Failure(known.condition, known.detail)
    case e: AuthenticationException   =>
      Failure(Condition.AuthenticationFailed, s"${refused(cluster, e)} Correct them in the metadata.")
    case e: TopicAuthorizationException =>
      Failure(
        Condition.NotAuthorized,
        s"Cluster $cluster does not allow to $doing: topic ${e.unauthorizedTopics} (${told(e)}). Allow $where."
      )
    case e: GroupAuthorizationException =>
      Failure(
        Condition.NotAuthorized,
        s"Cluster $cluster does not allow to read what group ${e.groupId} has committed (${told(e)}). Allow DESCRIBE on " +
          s"group ${e.groupId}."
      )
    case e: AuthorizationException =>
      Failure(Condition.NotAuthorized, s"Cluster $cluster does not allow to $doing (${told(e)}). Allow $where.")
    case e =>
      Failure(
        Condition.ClusterUnreachable,
        s"Cannot $doing of cluster $cluster (${told(e)}). Look whether its brokers run and can be reached from the " +
          "driver. To go on without a cluster that can't be reached, set unavailableClusterPolicy to skip."
      )
  }

  /** Who refuses whom. With TLS either side may, and the text tells which. */
  def refused(cluster: ClusterId, e: AuthenticationException, whose: String = ""): String = e match {
    case _: SslAuthenticationException =>
      s"No TLS connection with cluster $cluster comes about$whose (${told(e)}). Look whether the trust store trusts the " +
        "brokers' certificates, whether these are made out to the names in bootstrapServers, and whether the brokers " +
        "trust the key store's certificate."
    case _ => s"Cluster $cluster refuses the credentials$whose (${told(e)})."
  }

  @tailrec
  def root(thrown: Throwable): Throwable = thrown match {
    case e @ (_: ExecutionException | _: CompletionException) if e.getCause != null => root(e.getCause)
    case e                                                                          => e
  }

  private def told(e: Throwable): String = s"${e.getClass.getSimpleName}: ${e.getMessage}"
}
