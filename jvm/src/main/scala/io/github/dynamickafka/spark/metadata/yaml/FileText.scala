package io.github.dynamickafka.spark.metadata.yaml

import java.nio.ByteBuffer
import java.nio.charset.{CodingErrorAction, StandardCharsets}
import java.nio.file.{Files, Path}

/** The text of a file, by one read: of the driver's machine, or, if the path has a scheme, of any Hadoop file system. */
private[spark] object FileText {
  // A single letter is a drive, not a scheme.
  private val Scheme = "[a-zA-Z][a-zA-Z0-9+.-]+:.*"

  /** @throws java.io.IOException if it can't be read, or is not UTF-8 */
  def read(path: String): String = {
    val bytes   = if (path.matches(Scheme)) HadoopFile.read(path) else Files.readAllBytes(Path.of(path))
    val decoder = StandardCharsets.UTF_8.newDecoder.onMalformedInput(CodingErrorAction.REPORT)
    decoder.decode(ByteBuffer.wrap(bytes)).toString.stripPrefix("\uFEFF")
  }
}
