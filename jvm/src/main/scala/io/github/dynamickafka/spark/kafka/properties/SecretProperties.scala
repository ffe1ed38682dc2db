package io.github.dynamickafka.spark.kafka.properties

import scala.jdk.CollectionConverters._
import scala.util.matching.Regex

import com.fasterxml.jackson.core.io.JsonStringEncoder
import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.common.config.ConfigDef

/** The properties of Kafka that hold secrets: those that Kafka itself declares as passwords. */
object SecretProperties {
  private val names: Set[String] = Seq(ConsumerConfig.configDef, AdminClientConfig.configDef).flatMap { known =>
    known.configKeys.asScala.collect { case (name, key) if key.`type` == ConfigDef.Type.PASSWORD => name }
  }.toSet

  /** The names of the secret properties whose values are written out instead of a placeholder. Sorted. */
  def literal(properties: Map[String, String]): Vector[String] =
    properties.collect { case (name, value) if names(name) && literal(value) => name }.toVector.sorted

  /** The text without the secrets of these properties, and without `others`. */
  def masked(text: String, properties: Iterable[Map[String, String]], others: Set[String] = Set.empty): String = {
    val secrets = (others.iterator ++ properties.iterator.flatMap(_.iterator).collect {
      case (name, value) if names(name) => value +: passwords(value)
    }.flatten).map(_.trim).flatMap(quoted)
      // A shorter value would match in any text. A placeholder is no secret.
      .filter(value => value.length > 2 && !value.startsWith("${")).toSet
    // The longest first, because one may contain another.
    secrets.toVector.sortBy(-_.length).foldLeft(text)(_.replace(_, "***"))
  }

  /** How texts quote a secret: as it stands, as JSON does, or by its lines. A short line, or the first one of a key in
    * PEM, would match in texts that have no secret.
    */
  private def quoted(secret: String): Iterator[String] =
    Iterator(secret, new String(JsonStringEncoder.getInstance.quoteAsString(secret))) ++
      secret.linesIterator.map(_.trim).filter(line => line.length > 8 && !line.startsWith("-----"))

  /** The passwords in the options of a login. If one is a connection string, also its access key. */
  private def passwords(login: String): Vector[String] = {
    val written = Value.findAllMatchIn(login).flatMap(_.subgroups).filter(_ != null).toVector
    val plain   = written.map(Escaped.replaceAllIn(_, "$1"))
    written ++ plain ++ plain.flatMap(AccessKey.findAllMatchIn(_).map(_.group(1)))
  }

  // A value in quotes may have any character.
  private val Value: Regex =
    """(?i)\b\w*(?:password|secret)\w*\s*=\s*(?:"((?:\\.|[^"\\])*+)"|'((?:\\.|[^'\\])*+)'|["']?([^"'\s;]+))""".r
  private val Escaped: Regex   = """\\(.)""".r
  private val AccessKey: Regex = """(?i)accesskey=([^;]+)""".r

  // A login may name a user by a placeholder and write out the password.
  private def literal(value: String): Boolean = !value.contains("${") || Password.findFirstIn(value).isDefined

  private val Password: Regex = """(?i)\b\w*(?:password|secret)\w*\s*=\s*["']?(?!["']|\$\{)[^"'\s;]""".r
}
