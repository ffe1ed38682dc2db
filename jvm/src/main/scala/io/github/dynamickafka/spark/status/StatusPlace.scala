package io.github.dynamickafka.spark.status

/** Where the status of a query is kept. */
trait StatusPlace {

  /** For the log. */
  def name: String

  /** Replaces the text as a whole: nobody ever reads a part of it. May block, and may throw whatever a file system throws. */
  def write(text: String): Unit
}
