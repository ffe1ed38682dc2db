package io.github.dynamickafka.spark.metadata.http

import java.net.http.HttpResponse
import java.time.{Clock, Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.OptionConverters._

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.KafkaMetadataService
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.metadata.{
  AnswerFeedback,
  FixedStreams,
  PythonBridge,
  ServiceCaller,
  Snapshots,
  UnnamedClusters
}
import io.github.dynamickafka.spark.metadata.yaml.StreamsFile
import io.github.dynamickafka.spark.status.RefusedAnswer
import io.github.dynamickafka.spark.threads.Daemons

/** Streams from a web server, by the protocol of `docs/metadata-http.md`: each fetch is one conditional request, and a
  * streaming query's status is sent back as it changes.
  *
  * A cluster is active if the answer lists it, unless it says `active: false`.
  */
final private[metadata] class HttpMetadataService(settings: HttpSettings, caller: ServiceCaller, clock: Clock)
    extends Snapshots
    with AnswerFeedback {
  import HttpMetadataService._

  private val log      = LoggerFactory.getLogger(classOf[HttpMetadataService])
  private val failures = new HttpFailures(settings.url)
  private val threads  = Daemons.pool("dynamic-kafka-http", Duration.ofSeconds(5))
  private val limit    = share(caller.limit)
  private val clients  = new HttpClients(settings.caFile, limit, failures, threads)
  private val fetches  = exchange()
  private val statuses = exchange()
  private val reports  = caller.query.map(query => new StatusReports(query.identity, send, threads, clock))
  private val seen     = new SeenVersion(settings.url, caller.query, failures)
  private val unnamed  = new UnnamedClusters(log, s"service=${settings.url}")
  private val held     = new AtomicReference[Option[Held]](None)
  private val failed   = new AtomicReference[Option[Instant]](None)
  // The version of the answer of the last fetch. A failure itself has no version.
  private val asked = new AtomicReference[Option[Long]](None)

  if (settings.url.plain && settings.tokenFile.isDefined)
    log.warn(
      "{} The token for {} is sent without TLS: anybody on the way can read it.",
      Condition.InvalidOption,
      settings.url
    )

  /** The current streams, for one fetch, by one request. */
  override def snapshot(): KafkaMetadataService = {
    val now = fetch()
    unnamed.warn(now.file.unnamed)
    reports.foreach(_.report())
    new FixedStreams(now.file.streams, id => now.file.active.getOrElse(id, false), Some(now.version))
  }

  override def applied(version: Option[Long], came: Instant): Unit =
    for (reports <- reports; by <- version) {
      val now = clock.instant()
      reports.now { before =>
        val here = before.goingBy(by, now)
        // The query may take a good answer after a later fetch has failed.
        if (failed.get.forall(_.isBefore(came))) here.unrefused else here
      }
    }

  override def refused(failure: DynamicKafkaException): Unit = {
    val now = clock.instant()
    failed.set(Some(now))
    reports.foreach(_.now(_.refusing(RefusedAnswer.of(asked.get, failure, now))))
  }

  override def close(): Unit = {
    fetches.close()
    reports.foreach(_.close())
    statuses.close()
    clients.close()
    threads.shutdown()
  }

  private def fetch(): Held = {
    asked.set(None)
    val before = held.get
    val answer = fetches.send(Ask.Streams(settings.url.uri, before.flatMap(_.tag)), limit)
    (answer.statusCode, before) match {
      case (200, _)             => read(answer, before)
      case (304, Some(present)) =>
        asked.set(Some(present.version))
        present
      case (304, None) => throw failures.unavailable("answered 304, though it was asked without a condition", See)
      case (other, _)  => throw failures.status(other)
    }
  }

  private def read(answer: HttpResponse[Array[Byte]], before: Option[Held]): Held = {
    val text    = StreamsAnswer.text(answer, failures)
    val version = StreamsAnswer.version(text, failures)
    asked.set(Some(version))
    seen.check(version)
    val now = Held(version, tag(answer), StreamsAnswer.streams(text, failures))
    if (before.exists(known => known.version == version && known.file != now.file))
      throw failures.invalid(
        s"has other streams than before under the same version $version: raise it with each change."
      )
    seen.record(version)
    held.set(Some(now))
    now
  }

  private def send(json: String): Unit = {
    val code = statuses.send(Ask.Status(settings.url.status, json), limit).statusCode
    if (code / 100 != 2) throw failures.unavailable(s"answered $code to a status", See)
  }

  private def exchange(): HttpExchange = {
    val token = settings.tokenFile.map(new BearerToken(_, failures))
    new HttpExchange(clients, token, failures, s"dynamic-kafka/${PythonBridge.version}")
  }
}

private[metadata] object HttpMetadataService {
  private val See = "See docs/metadata-http.md for what the protocol allows."

  /** The last good answer. */
  private case class Held(version: Long, tag: Option[String], file: StreamsFile)

  // The form of RFC 9110. Other texts must not get into our requests.
  private val Tag = """(?:W/)?"[\x21\x23-\x7e]{0,1000}"""".r

  private def tag(answer: HttpResponse[_]): Option[String] =
    answer.headers.firstValue("ETag").toScala.filter(Tag.matches)

  // Less than the limit, so that our own error comes first: it is more exact.
  private def share(limit: Duration): Duration = limit.multipliedBy(9).dividedBy(10).plusMillis(1)
}
