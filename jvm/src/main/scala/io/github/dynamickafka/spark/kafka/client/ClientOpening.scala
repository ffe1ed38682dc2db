package io.github.dynamickafka.spark.kafka.client

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.common.config.AbstractConfig
import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.LoggerContext
import org.apache.logging.log4j.core.config.Configurator

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.failure.OpeningFailure
import io.github.dynamickafka.spark.kafka.properties.KafkaClassNames

/** Opens every client: with our class loader, and with errors that show no property's value. */
private[kafka] object ClientOpening {

  /** The client that `create` makes.
    *
    * @param properties what it is made from
    * @throws DynamicKafkaException `INVALID_METADATA`, also for a class that is compiled against Kafka's client under a
    *                               name that it does not have here; `CLUSTER_UNREACHABLE` if no host of an address can be
    *                               resolved; `AUTHENTICATION_FAILED` for a login that fails before a broker is asked
    */
  def open[A](cluster: ClusterId, properties: JMap[String, AnyRef])(create: => A): A = {
    KafkaClassNames.systemProperties(System.getProperties.asScala.toMap).foreach { case (name, value) =>
      System.setProperty(name, value)
    }
    // At INFO these loggers print every property that a client is opened with, and hide only those that Kafka declares as
    // passwords. The value of a placeholder may be in any property. Which logger prints depends on Kafka's version.
    Seq(classOf[AbstractConfig], classOf[ConsumerConfig], classOf[AdminClientConfig]).foreach(kind =>
      quiet(kind.getName)
    )
    val thread  = Thread.currentThread
    val context = thread.getContextClassLoader
    // Kafka loads the classes that properties name through the context class loader, which may not know our jar.
    thread.setContextClassLoader(getClass.getClassLoader)
    try create
    catch {
      case e @ (NonFatal(_) | _: LinkageError) => throw new OpeningFailure(cluster, properties, e).exception
    } finally thread.setContextClassLoader(context)
  }

  /** Has a logger print only warnings and errors, unless the user's own logging settings name it. */
  private def quiet(logger: String): Unit = LogManager.getContext(false) match {
    case log4j: LoggerContext if log4j.getConfiguration.getLoggerConfig(logger).getName != logger =>
      Configurator.setLevel(logger, Level.WARN)
    case _ => ()
  }
}
