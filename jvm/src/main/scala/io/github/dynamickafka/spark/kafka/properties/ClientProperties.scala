package io.github.dynamickafka.spark.kafka.properties

import java.time.Duration
import java.util.{HashMap => JHashMap, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.{CommonClientConfigs, MetadataRecoveryStrategy}
import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.common.config.SaslConfigs
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule
import org.apache.kafka.common.serialization.ByteArrayDeserializer

import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The properties that Kafka's clients are opened with: the user's own, and what the source relies on, which wins. */
object ClientProperties {

  /** The names that Kafka's own clients know. A user's plug-in may know others. */
  private[spark] lazy val known: Set[String] =
    (ConsumerConfig.configNames.asScala ++ AdminClientConfig.configNames.asScala).toSet

  /** Of a consumer. The user's own group id, client id and sizes win; without them it gets these ids.
    *
    * @param groupId where the user fixes none; positions are never committed under it
    */
  def forConsumer(connection: ConnectionSettings, groupId: String, clientId: String): JMap[String, AnyRef] = {
    val defaults = Map(
      ConsumerConfig.GROUP_ID_CONFIG  -> groupId,
      ConsumerConfig.CLIENT_ID_CONFIG -> clientId,
      // What a task reads exists already. So a broker waits only if a client fetches beyond what its task reads. A
      // consumer sends a broker one fetch at a time, so Kafka's half a second would delay the next task's first fetch
      // (`make bench-quick ARGS=triggers`).
      ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG -> "10",
      // The records of a poll become one column batch. Kafka's default of 500 is for programs that take records one by one.
      // It makes small batches, each with a round of bookkeeping (`make bench-quick ARGS=throughput`).
      ConsumerConfig.MAX_POLL_RECORDS_CONFIG -> "5000",
      // A connection transfers at most one buffer in each round trip. Kafka's default of 64 KiB means 1.3 MB/s where a round
      // trip takes 50 ms. The system adapts the size itself, but no longer once any size is set. So the system chooses.
      ConsumerConfig.RECEIVE_BUFFER_CONFIG -> "-1",
      // A kept consumer learns of a new leader from an answer of the old one, or when its metadata are this old. A broker
      // that hangs does not answer. By Kafka's default of five minutes a range of it would stand still until
      // `request.timeout.ms` is over (`make bench ARGS=sick`).
      ConsumerConfig.METADATA_MAX_AGE_CONFIG -> "5000"
    )
    val fixed = Map(
      ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG   -> classOf[ByteArrayDeserializer].getName,
      ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG -> classOf[ByteArrayDeserializer].getName,
      ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG       -> "false",
      ConsumerConfig.AUTO_OFFSET_RESET_CONFIG        -> "none",
      ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG -> "false"
    )
    asJava(defaults ++ renamed(connection, TokenWait) ++ fixed)
  }

  /** Of a client that asks about topics and offsets. Each request ends in time to ask other brokers within the limit:
    * twice, or once if the limit is short, since a request that times out also closes the connection to a busy broker.
    * A broker that hangs keeps its connections. By Kafka's default one request to it would take up the whole limit,
    * though other brokers lead its partitions by then. The wait for a token endpoint that hangs ends within the limit
    * too, so that it is reported as what it is.
    *
    * While no broker of a cluster can be reached, Kafka's client would return to the first addresses many times a second,
    * with a line in the driver's log each time: 250 lines a second and more, as long as the cluster is down. It has no need
    * to: a client that does not answer is exchanged for a new one, which begins at the first addresses (`ClusterAdmin`).
    *
    * @param limit of each question as a whole
    */
  def forAdmin(connection: ConnectionSettings, clientId: String, limit: Duration): JMap[String, AnyRef] = {
    val share   = (limit.toMillis / 4).max(LeastTry)
    val request = share.max(BusyTry.min(limit.toMillis * 2 / 3)).min(MostTry)
    // Kafka refuses a request timeout above that of its call, which the user may have set.
    val own = Option.when(!connection.properties.contains(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG))(
      CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG -> request.toString
    ).toMap + (CommonClientConfigs.CLIENT_ID_CONFIG -> clientId)
    val recovery = CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG -> MetadataRecoveryStrategy.NONE.name
    asJava(own + recovery ++ renamed(connection, share.min(TokenWait)))
  }

  // In milliseconds. A machine that starts several JVMs at once may answer the first request after more than a second. The
  // last one is Kafka's own default.
  private val LeastTry = 1000L
  private val BusyTry  = 3000L
  private val MostTry  = 30000L

  private def renamed(connection: ConnectionSettings, tokenWait: Long): Map[String, String] =
    loginLimits(connection, tokenWait) ++
      connection.properties.map { case (name, value) => name -> KafkaClassNames.here(name, value) }

  // Kafka waits for ever for a token endpoint that accepts the request and does not answer.
  private def loginLimits(connection: ConnectionSettings, milliseconds: Long): Map[String, String] =
    if (connection.properties.get(SaslConfigs.SASL_MECHANISM).contains(OAuthBearerLoginModule.OAUTHBEARER_MECHANISM))
      (Vector(SaslConfigs.SASL_LOGIN_CONNECT_TIMEOUT_MS, SaslConfigs.SASL_LOGIN_READ_TIMEOUT_MS) ++
        // Kafka refuses a longest pause that is shorter than the first one, which the user may have set.
        Option.when(!connection.properties.contains(SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MS))(
          SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MAX_MS
        )).map(_ -> milliseconds.toString).toMap
    else Map.empty

  // Kafka's own default: how long it tries again where an endpoint gives no token.
  private val TokenWait = SaslConfigs.DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MAX_MS

  private def asJava(properties: Map[String, String]): JMap[String, AnyRef] =
    new JHashMap[String, AnyRef](properties.asJava)
}
