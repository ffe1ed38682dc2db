package io.github.dynamickafka.spark.options

import java.util.Locale

/** The options that Spark itself hands to a source: they are known, and mean nothing here.
  *
  * `load(path)` adds `path` or `paths`. A table's options arrive among the table's properties, each of them a second
  * time with the prefix `option.` (Spark's `TableCatalog.OPTION_PREFIX`).
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

  /** The key of which this is a table's second copy, if it is one. */
  def copied(key: String): Option[String] =
    Option.when(key.toLowerCase(Locale.ROOT).startsWith(TableCopy))(key.substring(TableCopy.length)).filter(_.nonEmpty)
}
