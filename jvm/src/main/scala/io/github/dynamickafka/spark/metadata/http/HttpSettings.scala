package io.github.dynamickafka.spark.metadata.http

import java.nio.file.Path

import scala.util.Try

/** The options `metadataService.*` of the service `http`.
  *
  * @param tokenFile contains the bearer token; read again for each request
  * @param caFile CA certificates in PEM; no others are trusted
  * @param maxBytes the largest answer that is accepted
  */
final private[metadata] case class HttpSettings(
    url: ServiceUrl,
    tokenFile: Option[SettingFile],
    caFile: Option[SettingFile],
    maxBytes: Int
)

/** A file that an option names.
  *
  * @param shown for messages: with placeholders not resolved, because somebody may take the option for the secret itself
  */
final private[metadata] case class SettingFile(path: Path, shown: String) {
  override def toString: String = shown
}

private[metadata] object HttpSettings {
  private val Url       = "url"
  private val TokenFile = "tokenFile"
  private val CaFile    = "caFile"
  private val MaxBytes  = "maxResponseBytes"
  private val Known     = Seq(Url, TokenFile, CaFile, MaxBytes)

  private val DefaultBytes = 16 * 1024 * 1024
  // As large as a file of streams may be.
  private val LargestBytes = 128 * 1024 * 1024

  private val Prefix = "metadataService."

  /** The settings, or all problems. Their texts contain no value.
    *
    * @param config placeholders resolved
    * @param written as the user wrote it
    */
  def parse(config: Map[String, String], written: Map[String, String]): Either[Vector[String], HttpSettings] = {
    val url      = urlOf(config, written)
    val bytes    = bytesOf(config)
    val files    = Seq(TokenFile, CaFile).map(key => fileOf(key, config, written))
    val problems = unknown(config) ++ (Seq(url, bytes) ++ files).flatMap(_.left.toOption)
    (url, bytes, files) match {
      case (Right(url), Right(bytes), Seq(Right(token), Right(ca))) if problems.isEmpty =>
        Right(HttpSettings(url, token, ca, bytes))
      case _ => Left(problems)
    }
  }

  /** The problems that are visible before placeholders are resolved. */
  def check(written: Map[String, String]): Vector[String] = {
    val literal = written.filterNot { case (_, value) => value.contains("${") }
    val url     = if (written.contains(Url) && !literal.contains(Url)) None else urlOf(literal, literal).left.toOption
    unknown(written) ++ url ++ bytesOf(literal).left.toOption ++
      Seq(TokenFile, CaFile).flatMap(key => fileOf(key, literal, literal).left.toOption)
  }

  private def urlOf(config: Map[String, String], written: Map[String, String]): Either[String, ServiceUrl] =
    config.get(Url).toRight(s"`http` needs the option $Prefix$Url").flatMap { text =>
      ServiceUrl.parse(text, written.getOrElse(Url, text)).left.map(why => s"$Prefix$Url: $why")
    }

  private def bytesOf(config: Map[String, String]): Either[String, Int] = config.get(MaxBytes) match {
    case None       => Right(DefaultBytes)
    case Some(text) =>
      text.trim.toIntOption.filter(bytes => bytes > 0 && bytes <= LargestBytes)
        .toRight(s"$Prefix$MaxBytes: allowed is a whole number from 1 to $LargestBytes")
  }

  private def fileOf(
      key: String,
      config: Map[String, String],
      written: Map[String, String]
  ): Either[String, Option[SettingFile]] = config.get(key) match {
    case None       => Right(None)
    case Some(text) =>
      val shown = written.get(key).filter(_.contains("${"))
      Option.when(!text.isBlank)(text).flatMap(path => Try(Path.of(path)).toOption)
        .map(path => Some(SettingFile(path, shown.getOrElse(path.toString))))
        .toRight(s"$Prefix$key: it is no path of a file")
  }

  private def unknown(config: Map[String, String]): Vector[String] =
    (config.keySet -- Known).toVector.sorted.map { key =>
      s"$Prefix$key is unknown to `http`, which takes ${Known.map(Prefix + _).mkString(", ")}"
    }
}
