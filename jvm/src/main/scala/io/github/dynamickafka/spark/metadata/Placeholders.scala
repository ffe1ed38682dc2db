package io.github.dynamickafka.spark.metadata

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicReference

import scala.util.Using
import scala.util.control.NonFatal
import scala.util.matching.Regex

import io.github.dynamickafka.spark.ids.Printable

/** Replaces `${env:NAME}` and `${file:PATH}` in the values of properties. One value may contain several. The
  * replacements are not searched for further placeholders. All other placeholders stay as they are. These two stay too
  * if the property `config.providers` names their provider, because then they are meant for Kafka.
  *
  * @param read what a placeholder stands for, or why that is unknown
  */
final class Placeholders private (read: String => Either[String, String]) {
  import Placeholders._

  /** @param env the value of an environment variable, if it is set
    * @param file the content of a file; if it throws, that is a problem of the placeholder
    */
  def this(env: String => Option[String], file: String => String) = this(Placeholders.reading(env, file))

  /** The properties with their placeholders replaced, or all problems. The text of a problem shows no value. */
  def resolve(properties: Map[String, String]): Either[Vector[Problem], Map[String, String]] = {
    val kafkas   = properties.getOrElse(ConfigProviders, "").split(',').map(_.trim).toSet
    val resolved = properties.toVector.sortBy(_._1).map { case (key, text) => value(key, text, kafkas).map(key -> _) }
    val problems = resolved.collect { case Left(found) => found }.flatten
    Either.cond(problems.isEmpty, resolved.collect { case Right(property) => property }.toMap, problems)
  }

  /** What the placeholders in these properties stand for, as far as that is known. */
  def values(properties: Map[String, String]): Set[String] =
    properties.values.flatMap(Pattern.findAllIn(_)).flatMap(read(_).toOption).toSet

  /** The same, but each variable and each file is read at most once, so that all values of one fetch are consistent. */
  def readingOnce: Placeholders = {
    // Used for one fetch, or to open one service, and so by one thread.
    val known = scala.collection.mutable.Map.empty[String, Either[String, String]]
    new Placeholders(placeholder => known.getOrElseUpdate(placeholder, read(placeholder)))
  }

  /** The same, but a placeholder that can't be resolved any more keeps its last value.
    *
    * @param warn takes a text when a placeholder begins to keep its last value, and when that ends
    */
  def remembering(warn: String => Unit): Placeholders = {
    val memory = new AtomicReference(LastValues.none)
    new Placeholders(placeholder => {
      val found  = read(placeholder)
      val before = memory.getAndUpdate(_.after(placeholder, found))
      before.change(placeholder, found).foreach(warn)
      found.left.flatMap(why => before.values.get(placeholder).toRight(why))
    })
  }

  /** The same, but what can't be replaced stays as it is written. */
  private[spark] def lenient: Placeholders =
    new Placeholders(placeholder => read(placeholder).orElse(Right(placeholder)))

  private def value(key: String, text: String, kafkas: Set[String]): Either[Vector[Problem], String] = {
    val mine  = Pattern.findAllMatchIn(text).filterNot(found => kafkas(found.group(1))).toVector
    val texts = mine.map(found => read(found.matched) -> found)
    texts.collect { case (Left(why), found) => Problem(key, found.matched, why) } match {
      case Vector() => Right(replaced(text, texts.collect { case (Right(by), found) => found -> by }))
      case problems => Left(problems)
    }
  }

  private def replaced(text: String, parts: Vector[(Regex.Match, String)]): String = {
    val (out, rest) = parts.foldLeft(("", 0)) { case ((sofar, from), (found, by)) =>
      (sofar + text.substring(from, found.start) + by, found.end)
    }
    out + text.substring(rest)
  }
}

object Placeholders {
  private val ConfigProviders = "config.providers"

  private val Pattern = """\$\{(env|file):([^}]*)\}""".r

  /** Why a placeholder could not be replaced. */
  final case class Problem(property: String, placeholder: String, reason: String) {
    override def toString: String = Printable.line(s"property $property: $placeholder: $reason")
  }

  private def reading(
      env: String => Option[String],
      file: String => String
  )(placeholder: String): Either[String, String] = placeholder match {
    case Pattern("env", name) => env(name).toRight(s"the driver's environment has no variable $name")
    case other                =>
      try Right(withoutLineEnd(file(other.stripPrefix("${file:").stripSuffix("}"))))
      // The message of a failed read names the path alone, so it is safe to show.
      catch {
        case NonFatal(e) => Left(s"the driver can't read the file (${e.getClass.getSimpleName}: ${e.getMessage})")
      }
  }

  // Tools often write a line end after a secret. It is not part of the secret.
  private def withoutLineEnd(text: String): String = text.stripSuffix("\n").stripSuffix("\r")

  /** Uses the driver's environment variables, and its files as UTF-8. */
  val ofDriver: Placeholders =
    new Placeholders(name => Option(System.getenv(name)), path => secret(Path.of(path)))

  // Far more than any PEM key store. A device file may be endless.
  private val Limit = 1024 * 1024

  private def secret(path: Path): String = {
    val bytes = Using.resource(Files.newInputStream(path))(_.readNBytes(Limit + 1))
    if (bytes.length > Limit) throw new IOException(s"$path holds more than $Limit bytes")
    StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes)).toString
  }
}
