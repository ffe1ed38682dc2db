package io.github.dynamickafka.spark.metadata.http

import java.nio.file.Path

import scala.util.Try

/** The options `metadataService.*` of the service `http`.
  *
  * @param tokenFile contains the bearer token; read again for each request
  * @param caFile CA certificates in PEM; no others are trusted
  */
final private[metadata] case class HttpSettings(
    url: ServiceUrl,
    tokenFile: Option[SettingFile],
    caFile: Option[SettingFile]
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
  private val Known     = Seq(Url, TokenFile, CaFile)

  private val Prefix = "metadataService."

  /** The settings, or all problems. Their texts contain no value.
    *
    * @param config placeholders resolved
    * @param written as the user wrote it
    */
  def parse(config: Map[String, String], written: Map[String, String]): Either[Vector[String], HttpSettings] = {
    val url      = urlOf(config, written)
    val files    = Seq(TokenFile, CaFile).map(key => fileOf(key, config, written))
    val problems = unknown(config) ++ (url +: files).flatMap(_.left.toOption)
    (url, files) match {
      case (Right(url), Seq(Right(token), Right(ca))) if problems.isEmpty => Right(HttpSettings(url, token, ca))
      case _                                                              => Left(problems)
    }
  }

  /** The problems that are visible before placeholders are resolved. */
  def check(written: Map[String, String]): Vector[String] = {
    val literal = written.filterNot { case (_, value) => value.contains("${") }
    val url     = if (written.contains(Url) && !literal.contains(Url)) None else urlOf(literal, literal).left.toOption
    unknown(written) ++ url ++ Seq(TokenFile, CaFile).flatMap(key => fileOf(key, literal, literal).left.toOption)
  }

  private def urlOf(config: Map[String, String], written: Map[String, String]): Either[String, ServiceUrl] =
    config.get(Url).toRight(s"`http` needs the option $Prefix$Url").flatMap { text =>
      ServiceUrl.parse(text, written.getOrElse(Url, text)).left.map(why => s"$Prefix$Url: $why")
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
