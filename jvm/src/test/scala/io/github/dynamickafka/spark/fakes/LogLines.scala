package io.github.dynamickafka.spark.fakes

import java.util.UUID
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property

/** What a class logs while a test runs, with all that it was given as a cause. */
object LogLines {
  def of(source: Class[_], from: Level = Level.WARN)(body: => Unit): Vector[String] = {
    val lines    = new ConcurrentLinkedQueue[String]
    val appender = new AbstractAppender(UUID.randomUUID.toString, null, null, false, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit =
        lines.add(s"${event.getMessage.getFormattedMessage} ${Option(event.getThrown).fold("")(_.toString)}"): Unit
    }
    appender.start()
    LogManager.getLogger(source) match {
      case logger: Logger =>
        logger.addAppender(appender)
        logger.setLevel(from)
        try body
        finally logger.removeAppender(appender)
      case other => throw new AssertionError(s"$other is no logger of log4j")
    }
    lines.asScala.toVector
  }
}
