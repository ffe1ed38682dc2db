package io.github.dynamickafka.spark.pages

import java.util.Locale

import io.github.dynamickafka.spark.errors.{Condition, ConditionHelp}

/** The page of all conditions. */
private[pages] object ErrorsPage {

  /** Which class each condition has in Python. */
  val PythonClasses = "python/src/dynamic_kafka/errors.py"

  private val Head =
    """# Errors
      |
      |<!-- Generated; never edited: `make docs`. -->
      |
      |An error has a condition in square brackets, what happened, and what to do:
      |
      |```
      |[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cluster us-1 did not answer within 30 s. …
      |```
      |
      |Warnings in the log have the same conditions. Search this page for the name. A message ends with what it names as JSON, such
      |as `Fields: {"cluster":"eu-1","topic":"orders"}`.
      |
      |## In a program
      |
      |In Python `dynamic_kafka.find_error(exception)` returns the error behind an exception of Spark, and in Scala and Java
      |`DynamicKafkaException.find(exception)`. It has what the text names as attributes, such as `condition` and `cluster`:
      |[what can go wrong](../operations.md#what-can-go-wrong) lists them.
      |
      |```python
      |from dynamic_kafka import find_error
      |from dynamic_kafka.errors import ClusterUnreachableError
      |from pyspark.errors import StreamingQueryException
      |
      |try:
      |    query.awaitTermination()
      |except StreamingQueryException as failure:
      |    error = find_error(failure)
      |    if isinstance(error, ClusterUnreachableError):
      |        page_somebody(cluster=error.cluster)
      |    raise
      |```
      |
      |## Conditions
      |""".stripMargin

  private val PythonOnly = Seq(
    "DYNAMIC_KAFKA_CHECKPOINT" -> ConditionHelp(
      "`dynamic-kafka` or `dynamic_kafka.migrate` got a folder that is no checkpoint, is empty or is damaged.",
      "The error names the file. Copy the whole folder while its query is stopped."
    ),
    "DYNAMIC_KAFKA_JAR_MISSING" -> ConditionHelp(
      "The installed package has no jar inside.",
      "Install the wheel of a release, or run `make jar` in a checkout."
    ),
    "DYNAMIC_KAFKA_VERSION_MISMATCH" -> ConditionHelp(
      "The jar in the session has another version than the Python package.",
      "Change the line that the error names, so that both have one version."
    )
  )

  def markdown(python: String): String = {
    val classes = """class (\w+)\([^)]*\):(?:(?!\nclass )[\s\S])*?\n    condition = "(\w+)"""".r
      .findAllMatchIn(python)
      .map(found => found.group(2) -> found.group(1))
      .toMap
    val ours = Condition.all.map(condition => condition.name -> ConditionHelp.of(condition))
    Head + ours.map(named => section(classes)(named) + runbook(named._1)).mkString +
      "\n## Conditions of the Python package alone\n" + PythonOnly.map(section(classes)).mkString
  }

  private def runbook(name: String): String = {
    val title = name.stripPrefix("DYNAMIC_KAFKA_")
    s"\nWhat to look at, and what not to do: [runbook](../runbook.md#${title.toLowerCase(Locale.ROOT)}).\n"
  }

  private def section(classes: Map[String, String])(named: (String, ConditionHelp)): String = {
    val (name, help) = named
    s"""
       |### $name
       |
       |${ReferenceLinks.of(help.when)}
       |
       |**What to do.** ${ReferenceLinks.of(help.todo)}
       |
       |In Python: `${classes(name)}`.
       |""".stripMargin
  }
}
