package io.github.dynamickafka.spark.kafka

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.common.config.AbstractConfig
import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.LoggerContext
import org.apache.logging.log4j.core.config.Configurator

/** What Kafka's clients find around them in a JVM, driver or executor, before the first one is opened. */
private[kafka] object KafkaSurroundings {

  def prepare(): Unit = {
    KafkaClassNames.systemProperties(System.getProperties.asScala.toMap).foreach { case (name, value) =>
      System.setProperty(name, value)
    }
    // At INFO these print every property that a client is opened with, and hide only those that are passwords by their
    // declared type. What a placeholder stands for may be in any. Which of them prints depends on Kafka's version.
    Seq(classOf[AbstractConfig], classOf[ConsumerConfig], classOf[AdminClientConfig]).foreach(kind =>
      quiet(kind.getName)
    )
  }

  /** Lets a logger say no less than warnings, unless the user's own logging settings name it. */
  private[kafka] def quiet(logger: String): Unit = LogManager.getContext(false) match {
    case log4j: LoggerContext if log4j.getConfiguration.getLoggerConfig(logger).getName != logger =>
      Configurator.setLevel(logger, Level.WARN)
    case _ => ()
  }
}
