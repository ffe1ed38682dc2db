package io.github.dynamickafka.spark.kafka.properties

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.common.config.AbstractConfig
import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.LoggerContext
import org.apache.logging.log4j.core.config.Configurator

/** Prepares a JVM, of the driver or of an executor, before a client of Kafka is opened in it. */
private[kafka] object ClientEnvironment {

  def prepare(): Unit = {
    KafkaClassNames.systemProperties(System.getProperties.asScala.toMap).foreach { case (name, value) =>
      System.setProperty(name, value)
    }
    // At INFO these loggers print every property that a client is opened with, and hide only those that Kafka declares as
    // passwords. The value of a placeholder may be in any property. Which logger prints depends on Kafka's version.
    Seq(classOf[AbstractConfig], classOf[ConsumerConfig], classOf[AdminClientConfig]).foreach(kind =>
      quiet(kind.getName)
    )
  }

  /** Has a logger print only warnings and errors, unless the user's own logging settings name it. */
  private[kafka] def quiet(logger: String): Unit = LogManager.getContext(false) match {
    case log4j: LoggerContext if log4j.getConfiguration.getLoggerConfig(logger).getName != logger =>
      Configurator.setLevel(logger, Level.WARN)
    case _ => ()
  }
}
