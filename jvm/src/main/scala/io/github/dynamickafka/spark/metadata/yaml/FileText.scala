package io.github.dynamickafka.spark.metadata.yaml

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.charset.{CodingErrorAction, StandardCharsets}
import java.nio.file.{Files, Path}

import scala.util.Using

/** The text of a file, by one read. A path with a scheme is in a Hadoop file system, any other on the driver's machine.
  */
private[spark] object FileText {
  // A single letter is a drive, not a scheme.
  private val Scheme = "[a-zA-Z][a-zA-Z0-9+.-]+:.*"

  // The limit for a file of streams is in code points, and each takes at most four bytes.
  private val Limit = 4 * YamlTree.CodePoints

  /** @throws java.io.IOException if it can't be read, is far too large, or is not UTF-8 */
  def read(path: String): String = {
    val bytes = if (path.matches(Scheme)) HadoopFile.read(path, Limit) else local(path)
    if (bytes.length > Limit) throw new IOException(s"$path holds more than $Limit bytes")
    val decoder = StandardCharsets.UTF_8.newDecoder.onMalformedInput(CodingErrorAction.REPORT)
    decoder.decode(ByteBuffer.wrap(bytes)).toString.stripPrefix("\uFEFF")
  }

  private def local(path: String): Array[Byte] =
    Using.resource(Files.newInputStream(Path.of(path)))(_.readNBytes(Limit + 1))
}
