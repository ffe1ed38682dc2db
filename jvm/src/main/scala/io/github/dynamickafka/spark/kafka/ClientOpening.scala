package io.github.dynamickafka.spark.kafka

import java.util.{Map => JMap}
import java.util.regex.Pattern

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.common.config.SaslConfigs

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId

/** How every client is opened: with our class loader, and without a property's value in the error. */
private[kafka] object ClientOpening {

  /** What `create` makes.
    *
    * @param properties what it makes it from
    * @throws DynamicKafkaException `INVALID_METADATA`, also for a class that is compiled against Kafka's client under a
    *                               name that it does not have here; `CLUSTER_UNREACHABLE` if no address has a known host;
    *                               `AUTHENTICATION_FAILED` for a login that fails before a broker is asked
    */
  def open[A](cluster: ClusterId, properties: JMap[String, AnyRef])(create: => A): A = {
    KafkaSurroundings.prepare()
    val thread  = Thread.currentThread
    val context = thread.getContextClassLoader
    // Kafka loads the classes that properties name through the context class loader, which may not know our jar.
    thread.setContextClassLoader(getClass.getClassLoader)
    try create
    catch { case e @ (NonFatal(_) | _: LinkageError) => throw failure(cluster, properties, e) }
    finally thread.setContextClassLoader(context)
  }

  // Kafka's texts show values, which may be secrets, so neither they nor the exception itself go on. Names do.
  private def failure(cluster: ClusterId, properties: JMap[String, AnyRef], e: Throwable): DynamicKafkaException = {
    val causes   = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(10).toVector
    val kinds    = causes.map(kind).mkString(", caused by ")
    val texts    = causes.flatMap(cause => Option(cause.getMessage))
    val known    = ConsumerConfig.configNames.asScala ++ properties.keySet.asScala
    val property = texts.flatMap(Named.findAllMatchIn(_).map(_.group(1))).find(known)
      .orElse(Option.when(FailedLogin.withoutModule(causes))(SaslConfigs.SASL_JAAS_CONFIG))
    val foreign = PluginClasses.misfit(KafkaClassNames.Home, strings(properties), getClass.getClassLoader)
    if (foreign.nonEmpty || causes.exists(PluginClasses.missesKafka))
      DynamicKafkaException(Condition.InvalidMetadata, misfit(cluster, foreign))
    else if (texts.exists(_.contains("No resolvable bootstrap urls")))
      DynamicKafkaException(
        Condition.ClusterUnreachable,
        s"No host in bootstrap.servers of cluster $cluster can be resolved ($kinds). " +
          "Correct the addresses in the metadata, or the name service of the machine."
      )
    else FailedLogin.in(causes).fold(
      DynamicKafkaException(
        Condition.InvalidMetadata,
        s"No Kafka client can be opened for cluster $cluster ($kinds). " + property.fold(
          s"Look for a wrong value among its properties: ${properties.keySet.asScala.toVector.sorted.mkString(", ")}."
        )(name => s"Kafka refuses its property $name: correct the value in the metadata or the kafka.$name option.") +
          texts.flatMap(Allowing.findFirstMatchIn(_)).map(_.group(1)).headOption.fold("")(name =>
            s" What Kafka allows is set by the system property ${KafkaClassNames.Original}$name, of the driver and executors."
          )
      )
    )(login =>
      DynamicKafkaException(
        Condition.AuthenticationFailed,
        s"The login for cluster $cluster fails before a broker is asked ($login). Look whether the credentials among its " +
          "properties are right, and whether what they are shown to, a token endpoint or a Kerberos server, can be " +
          "reached from the driver and from executors."
      )
    )
  }

  // What a class misses is the name of another one, and nothing else is shown of it.
  private def kind(e: Throwable): String = e match {
    case e: NoClassDefFoundError if Option(e.getMessage).exists(ClassName.matches) =>
      s"${e.getClass.getName}: ${e.getMessage}"
    case e => e.getClass.getName
  }

  private def misfit(cluster: ClusterId, foreign: Option[(String, String)]): String = {
    val what = foreign.fold("A class that a property names") { case (property, name) =>
      s"Class $name, which property $property names,"
    }
    s"No Kafka client can be opened for cluster $cluster. $what is compiled against Kafka's client under the name " +
      s"${KafkaClassNames.Original}, and this jar carries that client inside, under another name, so that no other version " +
      s"gets in its way. Take io.github.dynamickafka:$Thin in its place, which uses the kafka-clients of the class path."
  }

  private val Thin = "dynamic-kafka-spark-thin_2.13"

  private def strings(properties: JMap[String, AnyRef]): Map[String, String] =
    properties.asScala.collect { case (name, value: String) => name -> value }.toMap

  private val Named = """configuration "?([\w.-]*\w)""".r

  private val ClassName = """[\w/.$]+""".r

  // Under whichever name Kafka's client has here.
  private val Allowing = s"""(?i:system property) '${Pattern.quote(KafkaClassNames.Home)}([\\w.-]+)'""".r
}
