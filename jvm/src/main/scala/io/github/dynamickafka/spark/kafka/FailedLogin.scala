package io.github.dynamickafka.spark.kafka

import javax.security.auth.login.LoginException

import scala.util.matching.Regex

/** A login that fails before any broker is asked: at an OAuth token endpoint, at a Kerberos server. */
private[kafka] object FailedLogin {

  /** What it failed of, by names of classes and a status of HTTP; none if no login failed.
    *
    * Java's login drops the cause and keeps its stack trace as text, which may hold secrets too, so the text does not go on.
    */
  def in(causes: Seq[Throwable]): Option[String] = causes.collectFirst { case e: LoginException =>
    val text   = Option(e.getMessage).getOrElse("")
    val kinds  = Kind.findAllIn(text).toVector.distinct.take(Shown)
    val status = Status.findFirstMatchIn(text).map(found => s"HTTP status ${found.group(1)}")
    (e.getClass.getName +: (kinds ++ status)).mkString(", ")
  }

  private val Kind: Regex   = """\b(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error)\b""".r
  private val Status: Regex = """\bresponse code:? (\d{3})\b""".r

  // Of the exceptions in a stack trace the first few tell what happened.
  private val Shown = 5
}
