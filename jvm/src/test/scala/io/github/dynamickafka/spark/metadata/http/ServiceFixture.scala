package io.github.dynamickafka.spark.metadata.http

import java.nio.file.{Files, Path}
import java.time.{Clock, Duration}
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.KafkaMetadataService
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.metadata.{CallingQuery, FixedStreams, ServiceCaller, VersionStore}
import io.github.dynamickafka.spark.status.QueryIdentity

/** A service with a server that says what a test wants. */
trait ServiceFixture { self: munit.FunSuite =>
  protected val ten: Duration = Duration.ofSeconds(10)

  protected def identity: QueryIdentity = QueryIdentity("q-1", "r-1", Some("orders"), "0")

  protected def served[A](body: TestServer => A): A = {
    val server = new TestServer
    try body(server)
    finally server.close()
  }

  protected def settings(url: String, more: (String, String)*): HttpSettings = {
    val config = Map("url" -> url) ++ more
    HttpSettings.parse(config, config).fold(problems => fail(problems.mkString("; ")), settings => settings)
  }

  protected def asking[A](
      url: String,
      more: Seq[(String, String)] = Nil,
      limit: Duration = ten,
      query: Option[CallingQuery] = None,
      clock: Clock = Clock.systemUTC
  )(body: HttpMetadataService => A): A = {
    val service = new HttpMetadataService(settings(url, more: _*), ServiceCaller(limit, query), clock)
    try body(service)
    finally service.close()
  }

  protected def topics(service: KafkaMetadataService): Set[String] =
    service.getAllStreams.asScala.flatMap(_.getClusters.values.asScala).flatMap(_.getTopics.asScala).toSet

  protected def version(view: KafkaMetadataService): Option[Long] = view match {
    case fixed: FixedStreams => fixed.version
    case other               => fail(s"without a version: $other")
  }

  /** Why a fetch fails. */
  protected def refusal(service: HttpMetadataService): DynamicKafkaException =
    intercept[DynamicKafkaException](service.snapshot(): Unit)

  protected def written(text: String): Path = Files.writeString(Files.createTempFile("http", ".txt"), text)
}

/** A text that outlives services. */
class KeptVersion extends VersionStore {
  private val text = new AtomicReference[Option[String]](None)

  override def read(): Option[String]    = text.get
  override def write(next: String): Unit = text.set(Some(next))
}
