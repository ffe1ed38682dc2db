package io.github.dynamickafka.spark.metadata.http

import java.net.{URI, URISyntaxException}
import java.util.Locale

/** The address of a service over HTTP.
  *
  * @param shown for messages: without the query, and with placeholders not resolved
  */
final private[metadata] class ServiceUrl private (val uri: URI, shown: String) {

  /** The address for the status of queries. */
  def status: URI = {
    val path  = Option(uri.getRawPath).getOrElse("").stripSuffix("/") + "/status"
    val query = Option(uri.getRawQuery).fold("")("?" + _)
    URI.create(s"${uri.getScheme}://${uri.getRawAuthority}$path$query")
  }

  /** Whether requests are sent without TLS. */
  def plain: Boolean = uri.getScheme.equalsIgnoreCase("http")

  override def toString: String = shown
}

private[metadata] object ServiceUrl {

  /** The address, or why the text is not one. The reason does not quote the text.
    *
    * @param written the text with placeholders not resolved
    */
  def parse(text: String, written: String): Either[String, ServiceUrl] =
    try {
      val uri = new URI(text.trim)
      problem(uri).toLeft(new ServiceUrl(uri, shown(uri, written.trim)))
    } catch { case _: URISyntaxException => Left("it is no URL") }

  private def problem(uri: URI): Option[String] =
    if (!Origin.isWeb(uri)) Some("it does not begin with https:// or http://")
    else if (Option(uri.getRawAuthority).exists(_.contains("@")))
      Some("it holds a user's name or password, which Spark would print: use metadataService.tokenFile")
    else if (uri.getHost == null)
      Some("it has no host that is valid: letters, digits, dots and hyphens, then perhaps a port")
    else if (uri.getRawFragment != null) Some("it has a fragment, the part behind a #")
    else None

  private def shown(uri: URI, written: String): String =
    if (written.contains("${")) written.replaceAll("//[^/]*@", "//").takeWhile(_ != '?')
    else Origin.of(uri).toString + Option(uri.getRawPath).getOrElse("")
}

/** Scheme, host and port: a token is sent to one origin only. */
final private[http] case class Origin(scheme: String, host: String, port: Int) {
  override def toString: String = s"$scheme://$host${if (port == Origin.usual(scheme)) "" else s":$port"}"
}

private[http] object Origin {
  private val Usual = Map("http" -> 80, "https" -> 443)

  def isWeb(uri: URI): Boolean = Usual.contains(scheme(uri))

  /** Of an address with a host. */
  def of(uri: URI): Origin = {
    val port = if (uri.getPort < 0) usual(scheme(uri)) else uri.getPort
    Origin(scheme(uri), Option(uri.getHost).getOrElse("").toLowerCase(Locale.ROOT), port)
  }

  private def usual(scheme: String): Int = Usual.getOrElse(scheme, -1)

  private def scheme(uri: URI): String = Option(uri.getScheme).getOrElse("").toLowerCase(Locale.ROOT)
}
