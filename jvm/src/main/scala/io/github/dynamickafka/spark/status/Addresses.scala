package io.github.dynamickafka.spark.status

/** Takes addresses out of a text. Errors of Kafka's client quote those of brokers, which no metadata names. */
object Addresses {
  private val Shown = "<address>"

  // A host or an IP address, with a port: `b1.example.com:9092`, `b1/10.0.0.1:9092`, `[::1]:9092`. A time such as 12:30 has
  // neither a letter nor a dot before its colon.
  private val WithPort =
    ("""(?<![A-Za-z0-9._-])(?:(?<![/:])[A-Za-z0-9._-]*/)?""" +
      """(?:\[[0-9A-Fa-f:.%]+\]|(?=[A-Za-z0-9_-]*[A-Za-z.])[A-Za-z0-9][A-Za-z0-9._-]*):\d{1,5}\b""").r

  // The port of a web server is mostly left out.
  private val WebHost = """(?i)(?<=\bhttps?://)[^\s/?#,;)<>]+""".r

  private val Ip = """\b\d{1,3}(?:\.\d{1,3}){3}\b""".r

  /** @param bootstrap the addresses of the cluster by its metadata. Their hosts are hidden without a port, too, unless a
    *                  host is a plain word, which may be anything else
    */
  def hidden(text: String, bootstrap: String): String = {
    val hosts = bootstrap.split(",").toVector.map(_.trim.replaceAll("^.*://", "").replaceAll(":\\d+$", ""))
    val plain = Seq(WithPort, WebHost, Ip).foldLeft(text)((left, kind) => kind.replaceAllIn(left, Shown))
    hosts.filter(_.contains('.')).sortBy(-_.length).foldLeft(plain)(_.replace(_, Shown))
  }
}
