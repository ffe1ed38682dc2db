package io.github.dynamickafka.spark.metadata.http

import java.net.http.HttpClient
import java.nio.file.Files
import java.security.GeneralSecurityException
import java.time.Duration
import java.util.Arrays
import java.util.concurrent.Executor
import java.util.concurrent.atomic.AtomicReference

import scala.util.Using
import scala.util.control.NonFatal

/** The JDK's client, made at the first request. It is replaced when the content of `caFile` changes, so a new CA needs no
  * restart.
  *
  * Before Java 21 a client can't be closed. Its one daemon thread ends after the client was garbage collected.
  */
final private[http] class HttpClients(
    caFile: Option[SettingFile],
    patience: Duration,
    failures: HttpFailures,
    executor: Executor
) extends AutoCloseable {
  import HttpClients._

  private val made = new AtomicReference[Option[Made]](None)

  def current(): HttpClient = {
    val trusted = caFile.map(read)
    val known   = made.get.filter(_.isFor(trusted))
    known.getOrElse(replaced(Made(trusted, build(trusted)))).client
  }

  // The JDK's client follows redirects to any host of the same scheme, with all headers. See HttpExchange.
  private def build(trusted: Option[Array[Byte]]): HttpClient = {
    val builder = HttpClient.newBuilder()
      .version(HttpClient.Version.HTTP_1_1)
      .followRedirects(HttpClient.Redirect.NEVER)
      .connectTimeout(patience)
      .executor(executor)
    trusted.foreach(pem => builder.sslContext(context(pem)))
    builder.build()
  }

  private def context(pem: Array[Byte]) =
    try TrustedCertificates.of(pem)
    catch { case e: GeneralSecurityException => throw wrong(s"can't be used (${e.getMessage})") }

  private def read(file: SettingFile): Array[Byte] = {
    val bytes =
      try Using.resource(Files.newInputStream(file.path))(_.readNBytes(Longest + 1))
      catch { case NonFatal(e) => throw wrong(s"can't be read (${e.getClass.getSimpleName})") }
    if (bytes.length > Longest) throw wrong(s"holds more than $Longest bytes")
    bytes
  }

  private def wrong(what: String) = failures.unavailable(
    s"was not asked: metadataService.caFile ${caFile.fold("")(_.toString)} $what",
    "Put certificates in PEM there."
  )

  private def replaced(now: Made): Made = {
    made.getAndSet(Some(now)).foreach(_.letGo())
    now
  }

  override def close(): Unit = made.getAndSet(None).foreach(_.letGo())
}

private object HttpClients {
  // The trust store of a system is a tenth of this.
  private val Longest = 4 * 1024 * 1024

  private case class Made(trusted: Option[Array[Byte]], client: HttpClient) {
    def isFor(now: Option[Array[Byte]]): Boolean =
      trusted.isDefined == now.isDefined && trusted.zip(now).forall { case (one, other) => Arrays.equals(one, other) }

    def letGo(): Unit = ShutdownNow.foreach(_.invoke(client))
  }

  // Ends a client at once; from Java 21 on. Open requests were cancelled before, or are tried again.
  private val ShutdownNow = classOf[HttpClient].getMethods.find(_.getName == "shutdownNow")
}
