package io.github.dynamickafka.spark.metadata.http

import java.io.IOException
import java.net.ConnectException
import java.net.http.HttpConnectTimeoutException
import java.time.Duration
import javax.net.ssl.SSLException

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Say, Wording}
import io.github.dynamickafka.spark.options.DurationText

/** The errors of requests to the service. They never show the token, and of the address only what [[ServiceUrl]] shows.
  */
final private[http] class HttpFailures(url: ServiceUrl) {

  /** The service can't be reached, or its response breaks the protocol. */
  def unavailable(what: String, toDo: String): DynamicKafkaException =
    DynamicKafkaException(Condition.MetadataUnavailable, s"The metadata service at $url $what. $toDo")

  /** The content of its response is not valid. */
  def invalid(what: Wording): DynamicKafkaException =
    DynamicKafkaException(Condition.InvalidMetadata, say"The response of the metadata service at $url $what")

  def status(code: Int): DynamicKafkaException = {
    val (what, toDo) = HttpFailures.Known.getOrElse(code, HttpFailures.other(code))
    unavailable(s"answered $code: $what", toDo)
  }

  def slow(limit: Duration): DynamicKafkaException = unavailable(
    s"did not answer in full within ${DurationText.text(limit)}",
    "Look for what holds it up, or raise metadataRequestTimeout."
  )

  def tooLarge(limit: Int): DynamicKafkaException =
    unavailable(s"sends more than $limit bytes", "Let it leave out the streams that no query needs.")

  /** The request failed. The messages of the JDK contain hosts and certificates, and no headers. */
  def of(thrown: Throwable): DynamicKafkaException = thrown match {
    case known: DynamicKafkaException   => known
    case _: HttpConnectTimeoutException =>
      unavailable(
        "did not accept a connection in time",
        "Check metadataService.url, and whether a firewall is in between."
      )
    case e: ConnectException =>
      val unknown = Option(e.getCause).exists(_.isInstanceOf[java.nio.channels.UnresolvedAddressException])
      val what    = if (unknown) "has a host name that can't be resolved" else "refuses connections"
      unavailable(s"can't be reached: it $what", "Correct metadataService.url, or start the service.")
    case e: SSLException => unavailable(
        s"can't be trusted: TLS failed (${e.getMessage})",
        "Its certificate must be signed by metadataService.caFile, or without that option by an authority that Java knows. " +
          "It must name the host in the address."
      )
    case e: IOException =>
      unavailable(s"ended its answer too early (${e.getClass.getSimpleName}: ${e.getMessage})", "Look at its log.")
    case other => unavailable(s"can't be asked (${other.getClass.getName})", "Look at the options of the service.")
  }
}

private object HttpFailures {
  private val Later = "It is asked again at the next interval."

  private val Known: Map[Int, (String, String)] = Map(
    401 -> ("the token is missing or not valid", "Put a valid token into metadataService.tokenFile."),
    403 -> ("the token does not allow this", "Allow its owner to read the streams, or use another token."),
    404 -> ("the streams are not at this address", "Correct metadataService.url."),
    406 -> ("it has no JSON", "Let the service answer with application/json."),
    410 -> ("the streams are no longer at this address", "Correct metadataService.url."),
    429 -> ("too many requests", "Raise metadataDiscoveryInterval, or its limit.")
  )

  private def other(code: Int): (String, String) =
    if (code == 502 || code == 503 || code == 504) ("the service is not available now", Later)
    else if (code >= 500) ("the server had an error", s"Look at its log. $Later")
    else if (code >= 400) ("it refuses the request", "Look at its log, and at metadataService.url.")
    else ("the protocol has only 200 and 304", "See docs/metadata-http.md.")
}
