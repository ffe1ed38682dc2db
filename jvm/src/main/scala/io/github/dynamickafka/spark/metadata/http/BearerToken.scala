package io.github.dynamickafka.spark.metadata.http

import java.io.IOException
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Files

import scala.util.Using

/** The token of a service, in a file that is read again for each request, so that it can be rotated. */
final private[http] class BearerToken(file: SettingFile, failures: HttpFailures) {
  import BearerToken._

  /** The value of the header `Authorization`.
    *
    * @throws io.github.dynamickafka.spark.errors.DynamicKafkaException `METADATA_UNAVAILABLE`, without the content of the file
    */
  def header(): String = {
    val text = read().strip
    if (text.isEmpty) throw wrong("is empty")
    // The JDK's own error for such a header quotes it.
    if (!text.forall(char => char > ' ' && char < 127)) throw wrong("holds more than one word, or other characters")
    s"Bearer $text"
  }

  private def read(): String = {
    val bytes =
      try Using.resource(Files.newInputStream(file.path))(_.readNBytes(Longest + 1))
      catch { case e: IOException => throw wrong(s"can't be read (${e.getClass.getSimpleName})") }
    if (bytes.length > Longest) throw wrong(s"holds more than $Longest bytes")
    new String(bytes, ISO_8859_1)
  }

  private def wrong(what: String) =
    failures.unavailable(s"was not asked: the token's file $file $what", "Write the token alone into it.")
}

private object BearerToken {
  // Servers accept headers of some kilobytes at most.
  private val Longest = 16 * 1024
}
