package io.github.dynamickafka.spark.kafka.failure

import javax.security.auth.login.LoginException

import scala.util.matching.Regex

/** A login that fails before any broker is asked: at an OAuth token endpoint, at a Kerberos server. */
private[kafka] object FailedLogin {

  /** Why the login failed: names of classes and an HTTP status. None if no login failed.
    *
    * Java's login drops the cause of what a login module throws, and keeps its stack trace as text, which contains what a
    * server answered. This text is not shown, because it may hold secrets.
    */
  def in(causes: Seq[Throwable]): Option[String] = {
    val from = causes.dropWhile(cause => !login(cause))
    from.headOption.map { first =>
      // The text begins with what happened.
      val text   = Option(first.getMessage).getOrElse("").take(4096)
      val kinds  = from.map(_.getClass.getName) ++ heads(text)
      val status = Status.findFirstMatchIn(text).map(found => s"HTTP status ${found.group(1)}")
      (kinds.distinct ++ status).mkString(", ")
    }
  }

  /** Whether the login module that a property names does not exist. Then no login was tried. */
  def withoutModule(causes: Seq[Throwable]): Boolean = causes.exists(noModule)

  private def login(cause: Throwable): Boolean = cause.isInstanceOf[LoginException] && !noModule(cause)

  private def noModule(cause: Throwable): Boolean = cause match {
    case e: LoginException => Option(e.getMessage).exists(_.startsWith("No LoginModule found"))
    case _                 => false
  }

  // The classes that a stack trace begins with, before the text of the innermost one. What follows may be a server's
  // text.
  private def heads(text: String): Seq[String] =
    text.linesIterator.take(1).flatMap(_.split(": ").takeWhile(Kind.matches)).toVector

  private val Kind: Regex   = """[a-z][\w.$]*\.[A-Z][\w$]*""".r
  private val Status: Regex = """\bresponse code:? (\d{3})\b""".r
}
