package io.github.dynamickafka.spark.options

import java.util.Locale

/** The options that Spark itself passes to a source. They are allowed, and ignored.
  *
  * `load(path)` adds `path` or `paths`. Spark passes a table's options among the table's properties, and each of them
  * a second time with the prefix `option.` (Spark's `TableCatalog.OPTION_PREFIX`).
  */
object SparkOptions {
  private val TableCopy = "option."

  private val known = Set(
    "path",
    "paths",
    "provider",
    "location",
    "comment",
    "collation",
    "owner",
    "external",
    "is_managed_location",
    "clusteringcolumns",
    "serialization.format",
    "transient_lastddltime"
  )

  def isKnown(key: String): Boolean = {
    val lower = key.toLowerCase(Locale.ROOT)
    known(lower) || lower.startsWith("spark.sql.")
  }

  /** The plain key, if this is the second copy of a table's option. */
  def copied(key: String): Option[String] =
    Option.when(key.toLowerCase(Locale.ROOT).startsWith(TableCopy))(key.substring(TableCopy.length)).filter(_.nonEmpty)
}
