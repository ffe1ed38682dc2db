package io.github.dynamickafka.spark.log

import java.time.Instant
import java.util.concurrent.atomic.AtomicReference

import org.slf4j.{Logger, LoggerFactory}

import io.github.dynamickafka.spark.ids.Printable

/** What the driver's side of one query logs. Each line ends with the query: its name, or its id if it has none.
  *
  * @param query none for a batch read, which is no query of Spark's
  */
final class QueryLog private (logger: Logger, query: Option[String]) {
  private val lasting = new AtomicReference(Map.empty[String, WarningThrottle])

  /** The same for another class. */
  def of(source: Class[_]): QueryLog = new QueryLog(LoggerFactory.getLogger(source), query)

  def info(text: String): Unit                   = logger.info(named(text))
  def warn(text: String): Unit                   = logger.warn(named(text))
  def warn(text: String, cause: Throwable): Unit = logger.warn(named(text), cause)

  /** Logs warnings whose causes may last, as often as [[WarningThrottle]] allows.
    *
    * @param kind what these warnings are about
    * @param now those that hold now: the cause of each, and its text
    */
  def warnings(kind: String, now: Seq[(Any, String)], at: Instant): Unit = {
    val before = lasting.getAndUpdate(_.updatedWith(kind) { known =>
      Some(known.getOrElse(WarningThrottle()).now(now.map(_._1), at)).filter(_.logged.nonEmpty)
    }).getOrElse(kind, WarningThrottle())
    now.filter { case (cause, _) => before.due(cause, at) }.map(_._2).distinct.foreach(warn)
  }

  // A failure of other code may have several lines.
  private def named(text: String): String = query.fold(text) { name =>
    val (first, rest) = text.span(_ != '\n')
    s"$first query=${Printable.line(name)}$rest"
  }
}

object QueryLog {

  /** @param query the name or the id of the query */
  def apply(query: Option[String]): QueryLog = new QueryLog(LoggerFactory.getLogger(classOf[QueryLog]), query)

  /** Of a batch read. */
  val unnamed: QueryLog = QueryLog(None)
}
