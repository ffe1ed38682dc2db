package io.github.dynamickafka.spark.metadata.http

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat
import java.util.concurrent.atomic.AtomicReference

import scala.util.Try

import com.fasterxml.jackson.databind.json.JsonMapper

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.metadata.{CallingQuery, VersionStore}

/** The highest version of the metadata so far. A streaming query keeps it over restarts.
  *
  * It is kept beside the offsets and not in them. An offset is written with the next batch, which may come much later. If
  * the driver died before that, its next start would accept a stale instance. The version belongs to one address, because
  * two services have independent versions.
  */
final private[http] class SeenVersion(url: ServiceUrl, query: Option[CallingQuery], failures: HttpFailures) {
  import SeenVersion._

  private val service      = digest(url)
  private val here         = new AtomicReference[Option[Long]](None)
  private lazy val atStart = inCheckpoint
  private def last         = here.get.orElse(atStart)

  /** @throws DynamicKafkaException `METADATA_UNAVAILABLE` if there was a later version before */
  def check(version: Long): Unit = check(version, last)

  private def check(version: Long, known: Option[Long]): Unit = known.filter(_ > version).foreach { later =>
    val orForget = query.fold("")(caller => s", or stop the query and delete ${folder(caller)}")
    throw failures.unavailable(
      s"has version $version of the streams, though it had version $later before",
      s"This may be a stale instance behind a load balancer. If the service restarts its count, let it continue from $later$orForget."
    )
  }

  /** This version is accepted: from now on no earlier one is, also in later starts of the query.
    *
    * @throws DynamicKafkaException `METADATA_UNAVAILABLE` if the checkpoint has a later one: another driver of the query
    *         may have gone on while this one was paused
    */
  def record(version: Long): Unit = if (!last.contains(version)) {
    check(version, inCheckpoint)
    query.foreach(caller => kept("written", caller)(_.write(write(version))))
    here.set(Some(version))
  }

  private def inCheckpoint: Option[Long] =
    query.flatMap(caller => kept("read", caller)(_.read()).flatMap(read(_, caller)))

  private def kept[A](how: String, caller: CallingQuery)(body: VersionStore => A): A =
    try body(caller.versions)
    catch {
      case e: IOException => throw DynamicKafkaException(
          Condition.MetadataUnavailable,
          s"The last version of the metadata can't be $how in ${folder(caller)}: $e. The query needs it to notice, " +
            "after a restart, that the metadata went back to an earlier version.",
          e
        )
    }

  private def write(version: Long): String =
    mapper.createObjectNode().put("version", Form).put("service", service).put("metadata", version).toString

  private def read(text: String, caller: CallingQuery): Option[Long] = {
    val root = Try(mapper.readTree(text)).toOption.filter(root =>
      root.path("version").asInt == Form && root.path("service").isTextual && root.path("metadata").isIntegralNumber
    )
    val known = root.getOrElse(throw DynamicKafkaException(
      Condition.OffsetVersion,
      s"The last version of the metadata in ${folder(caller)} has an unknown form. Use the release that wrote it, or a " +
        "newer one, or delete the folder: then the next answer is accepted with any version."
    ))
    Option.when(known.get("service").textValue == service)(known.get("metadata").longValue)
  }

  // Without its address, because the status of the query shows this text to the service.
  private def folder(caller: CallingQuery): String =
    s"the folder sources/${caller.identity.source}/metadata of the query's checkpoint"
}

private object SeenVersion {
  private val Form   = 1
  private val mapper = JsonMapper.builder().build()

  // A checkpoint contains no addresses.
  private def digest(url: ServiceUrl): String = {
    val bytes = MessageDigest.getInstance("SHA-256").digest(url.uri.toString.getBytes(UTF_8))
    HexFormat.of.formatHex(bytes, 0, 8)
  }
}
