package io.github.dynamickafka.spark.kafka.failure

import java.util.{Map => JMap}
import java.util.regex.Pattern

import scala.jdk.CollectionConverters._
import scala.util.matching.Regex

import org.apache.kafka.common.config.SaslConfigs

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.properties.{ClientProperties, KafkaClassNames, PluginClasses}

/** Why a client of Kafka could not be opened.
  *
  * Kafka's texts show values of properties, which may be secrets. So neither these texts nor the exception itself go on,
  * only names of classes and properties do.
  *
  * @param properties what the client was opened with
  */
final private[kafka] class OpeningFailure(cluster: ClusterId, properties: JMap[String, AnyRef], thrown: Throwable) {
  import OpeningFailure._

  // A chain of causes may be a circle.
  private val causes = Iterator.iterate(thrown)(_.getCause).takeWhile(_ != null).take(10).toVector
  private val texts  = causes.flatMap(cause => Option(cause.getMessage))
  private val kinds  = causes.map(kind).mkString(", caused by ")

  /** The first kind of failure that fits. If no other kind fits, it is a wrong property. */
  def exception: DynamicKafkaException =
    foreignClass.orElse(unknownHosts).orElse(failedLogin).getOrElse(wrongProperty)

  private def foreignClass: Option[DynamicKafkaException] = {
    val texts = properties.asScala.collect { case (name, value: String) => name -> value }.toMap
    val named = PluginClasses.misfit(KafkaClassNames.Home, texts, getClass.getClassLoader)
    val which = named.fold("A class that a property names") { case (property, name) =>
      s"Class $name, which property $property names,"
    }
    Option.when(named.nonEmpty || causes.exists(PluginClasses.missesKafka))(notOpened(
      s". $which is compiled against Kafka's client under the name ${KafkaClassNames.Original}. This jar contains that " +
        "client under another name, so that it does not collide with other versions. Use " +
        "io.github.dynamickafka:dynamic-kafka-spark-thin_2.13 instead, which takes kafka-clients from the class path."
    ))
  }

  private def unknownHosts: Option[DynamicKafkaException] =
    Option.when(texts.exists(_.contains("No resolvable bootstrap urls")))(DynamicKafkaException(
      Condition.ClusterUnreachable,
      say"No host in bootstrap.servers of cluster $cluster can be resolved ($kinds). " +
        "Correct the addresses in the metadata, or the name service of the machine."
    ))

  private def failedLogin: Option[DynamicKafkaException] = FailedLogin.in(causes).map(login =>
    DynamicKafkaException(
      Condition.AuthenticationFailed,
      say"The login for cluster $cluster fails before a broker is asked ($login). Check that the credentials among its " +
        "properties are right. Check also that the driver and the executors can reach what verifies them: a token " +
        "endpoint or a Kerberos server."
    )
  )

  private def wrongProperty: DynamicKafkaException = {
    val remedy = refusedProperty.fold(s"Look for a wrong value among its properties: ${names.sorted.mkString(", ")}.")(
      name => s"Kafka refuses its property $name: correct the value in the metadata or the kafka.$name option."
    )
    val allowing = allowingProperty.fold("")(name =>
      s" What Kafka allows is set by the system property $name, on the driver and on executors."
    )
    notOpened(s" ($kinds). $remedy$allowing")
  }

  private def notOpened(why: String) =
    DynamicKafkaException(Condition.InvalidMetadata, say"No Kafka client can be opened for cluster $cluster$why")

  // A text may quote a value in the place of a name, so only known names go on.
  private def refusedProperty: Option[String] =
    texts.flatMap(Named.findAllMatchIn(_).map(_.group(1))).find(ClientProperties.known ++ names)
      .orElse(Option.when(FailedLogin.withoutModule(causes))(SaslConfigs.SASL_JAAS_CONFIG))

  // Kafka's client forbids some classes and addresses unless a system property allows them.
  private def allowingProperty: Option[String] =
    texts.flatMap(Allowing.findFirstMatchIn(_)).headOption.map(found => KafkaClassNames.Original + found.group(1))

  private def names: Vector[String] = properties.keySet.asScala.toVector
}

private object OpeningFailure {
  val Named: Regex = """configuration "?([\w.-]*\w)""".r

  // Under whichever name Kafka's client has here.
  val Allowing: Regex = s"""(?i:system property) '${Pattern.quote(KafkaClassNames.Home)}([\\w.-]+)'""".r

  /** The class of an exception. If a class is missing, also its name, and no other text. */
  def kind(e: Throwable): String = e match {
    case e: NoClassDefFoundError if Option(e.getMessage).exists(ClassName.matches) =>
      s"${e.getClass.getName}: ${e.getMessage}"
    case e => e.getClass.getName
  }

  private val ClassName = """[\w/.$]+""".r
}
