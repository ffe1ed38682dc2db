package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.concurrent.ExecutionException
import java.util.concurrent.atomic.{AtomicLong, AtomicReference}

import scala.annotation.tailrec
import scala.collection.immutable.SortedSet
import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.{Admin, ListTopicsOptions}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.client.ClientOpening
import io.github.dynamickafka.spark.kafka.failure.{Attempt, Diagnosis}
import io.github.dynamickafka.spark.kafka.properties.{BootstrapCheck, ClientProperties}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Lists the topics of one cluster, through a client that is opened at the first call. It is kept until a call has no
  * answer, the properties change, or the lister is closed.
  *
  * @param cluster how messages name the cluster
  */
final class TopicLister(cluster: String) extends AutoCloseable {
  import TopicLister._

  private val state = new AtomicReference[State](Idle)

  /** The names of all topics but Kafka's internal ones.
    *
    * @param properties of the client; when they differ from those of the last call, a new client is opened
    * @throws DynamicKafkaException `AUTHENTICATION_FAILED`, `NOT_AUTHORIZED`; `INVALID_METADATA`, `CLUSTER_UNREACHABLE`
    *         or a failed login, as from [[ClientOpening]]; or `METADATA_UNAVAILABLE` for all else, which includes being
    *         closed meanwhile
    */
  def topics(properties: Map[String, String]): SortedSet[String] = {
    val admin = client(properties)
    try admin.listTopics(new ListTopicsOptions().listInternal(false)).names.get.asScala.to(SortedSet)
    catch {
      case e: ExecutionException    => throw failed(admin, e.getCause)
      case e: IllegalStateException => throw failed(admin, e)
    }
  }

  /** Closes the client, which ends a call that waits for an answer. Later calls fail. */
  override def close(): Unit = state.getAndSet(Closed) match {
    case Open(_, admin) => admin.close(Duration.ZERO)
    case _              => ()
  }

  @tailrec
  private def client(properties: Map[String, String]): Admin = state.get match {
    case Closed                                    => throw failure(new IllegalStateException("it is closed"))
    case Open(known, admin) if known == properties => admin
    case before                                    =>
      val admin = opened(properties)
      if (state.compareAndSet(before, Open(properties, admin))) {
        before match {
          case Open(_, old) => old.close(Duration.ZERO)
          case _            => ()
        }
        admin
      } else {
        admin.close(Duration.ZERO)
        client(properties)
      }
  }

  private def opened(properties: Map[String, String]): Admin = {
    val connection = new ConnectionSettings(properties)
    BootstrapCheck.check(ClusterId(cluster), connection, Limit)
    val own = ClientProperties.forAdmin(connection, TopicLister.clientId())
    ClientOpening.open(ClusterId(cluster), own)(Admin.create(own))
  }

  // A client whose thread has died never answers again, and looks like one that is slow. A client that was refused has an
  // answer.
  private def failed(admin: Admin, e: Throwable): DynamicKafkaException = {
    val diagnosed = failure(e)
    state.get match {
      case open @ Open(_, `admin`) if diagnosed.condition == Condition.MetadataUnavailable =>
        if (state.compareAndSet(open, Idle)) admin.close(Duration.ZERO)
      case _ => ()
    }
    diagnosed
  }

  private def failure(e: Throwable): DynamicKafkaException = {
    val diagnosis = Diagnosis.of(Attempt(ClusterId(cluster), "list the topics", operation = "DESCRIBE"), e)
    // The caller waits for the list of a metadata service, so the error says that this service fails.
    val condition = diagnosis.remedy.fold[Condition](Condition.MetadataUnavailable)(_ => diagnosis.condition)
    val remedy    = diagnosis.remedy.getOrElse("Check that its brokers run and can be reached from the driver")
    DynamicKafkaException(condition, say"${diagnosis.happened} $remedy.", e)
  }
}

private object TopicLister {
  private val count = new AtomicLong

  // Kafka's client takes at most so long for one call.
  private val Limit = Duration.ofMinutes(1)

  /** No two are equal, because Kafka's clients register themselves by their ids. */
  def clientId(): String = s"spark-dynamic-kafka-topics-${count.incrementAndGet()}"

  sealed trait State
  case object Idle                                                     extends State
  case object Closed                                                   extends State
  final case class Open(properties: Map[String, String], admin: Admin) extends State
}
