package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.concurrent.ExecutionException
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import scala.collection.immutable.SortedSet
import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.{Admin, ListTopicsOptions}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.failure.{Attempt, Diagnosis}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Lists the topics of one cluster, through a client that is opened at the first call. It is kept until a call has no
  * answer, the properties change, or the lister is closed.
  *
  * @param cluster how messages name the cluster
  */
final class TopicLister(cluster: String) extends AutoCloseable {
  // Kafka's client takes at most so long for one call.
  private val factory = new AdminFactory("spark-dynamic-kafka-topics", Duration.ofMinutes(1))
  private val open    = new AtomicReference(Option.empty[(Map[String, String], Admin)])
  private val closed  = new AtomicBoolean(false)

  /** The names of all topics but Kafka's internal ones. One call at a time is made.
    *
    * @param properties of the client; when they differ from those of the last call, a new client is opened
    * @throws DynamicKafkaException `AUTHENTICATION_FAILED`, `NOT_AUTHORIZED`; `INVALID_METADATA`, `CLUSTER_UNREACHABLE`
    *         or a failed login, as from [[AdminFactory]]; or `METADATA_UNAVAILABLE` for all else, which includes being
    *         closed meanwhile
    */
  def topics(properties: Map[String, String]): SortedSet[String] =
    try client(properties).listTopics(new ListTopicsOptions().listInternal(false)).names.get.asScala.to(SortedSet)
    catch {
      case e @ (_: ExecutionException | _: IllegalStateException) =>
        val diagnosed = failure(Diagnosis.root(e))
        // A client whose thread has died never answers again, and looks like one that is slow. A refusal is an answer:
        // that client is kept.
        if (diagnosed.condition == Condition.MetadataUnavailable) letGo()
        throw diagnosed
    }

  /** Closes the client, which ends a call that waits for an answer. Later calls fail. */
  override def close(): Unit = {
    closed.set(true)
    letGo()
  }

  private def letGo(): Unit = open.getAndSet(None).foreach(_._2.close(Duration.ZERO))

  private def client(properties: Map[String, String]): Admin = {
    if (closed.get) throw new IllegalStateException("it is closed")
    open.get.collect { case (`properties`, admin) => admin }.getOrElse {
      letGo()
      val admin = factory.open(ClusterId(cluster), new ConnectionSettings(properties))
      open.set(Some(properties -> admin))
      // Closed meanwhile, when there was nothing to close yet.
      if (closed.get) letGo()
      admin
    }
  }

  private def failure(e: Throwable): DynamicKafkaException = {
    val diagnosis = Diagnosis.of(Attempt(ClusterId(cluster), "list the topics", operation = "DESCRIBE"), e)
    // The caller waits for the list of a metadata service, so the error says that this service fails.
    val condition = diagnosis.remedy.fold[Condition](Condition.MetadataUnavailable)(_ => diagnosis.condition)
    val remedy    = diagnosis.remedy.getOrElse("Check that its brokers run and can be reached from the driver")
    DynamicKafkaException(condition, say"${diagnosis.happened} $remedy.", e)
  }
}
