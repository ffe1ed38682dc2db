package io.github.dynamickafka.spark.options

/** Options that hold a secret as it is. Spark prints a reader's options, in plans and in the UI; a placeholder keeps the
  * secret out of them.
  */
object LiteralSecrets {
  private val prefixes = Seq("kafka.", "metadataservice.")

  // How the properties end that Kafka keeps to itself, and those of common plug-ins.
  private val endings = Seq("password", "secret", "token", "credentials", "jaas.config", "keystore.key")

  /** Their keys, as they are written, in order. */
  def among(options: Map[String, String]): Seq[String] = options.collect {
    case (key, value) if secret(key.toLowerCase(java.util.Locale.ROOT)) && !value.contains("${") && value.nonEmpty =>
      key
  }.toSeq.sorted

  private def secret(key: String): Boolean = prefixes.exists(key.startsWith) && endings.exists(key.endsWith)
}
