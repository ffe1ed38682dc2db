package io.github.dynamickafka.spark.pages

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
      |Each condition of an error or a warning: when it comes, and what to do. A message begins with its condition:
      |
      |```
      |[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cluster us-1 did not answer within 30 s. …
      |```
      |
      |After a warning the query continues. After an error it has failed. Its next start continues exactly where it was.
      |
      |## In a program
      |
      |In Python `dynamic_kafka.find_error` finds our error behind a `StreamingQueryException`, and behind any exception of a
      |batch read. In Scala and Java it is `DynamicKafkaException.find(exception)`.
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
      |If a task of a batch read fails, catch Py4J's `Py4JJavaError`.
      |
      |The error has `condition`, and what its text names: `cluster`, `stream`, `topic`, `partition`, `option`, `file`, `line`.
      |On the JVM these are getters, such as `getCluster()`. A message ends with them as JSON, for other languages:
      |`Fields: {"cluster":"eu-1","topic":"orders","partition":3}`.
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
    Head + ours.map(section(classes)).mkString +
      "\n## Conditions of the Python package alone\n" + PythonOnly.map(section(classes)).mkString
  }

  private def section(classes: Map[String, String])(named: (String, ConditionHelp)): String = {
    val (name, help) = named
    s"""
       |### $name
       |
       |${ReferenceLinks.of(help.when)}
       |
       |**Do**: ${ReferenceLinks.of(help.todo)}
       |
       |Python: `${classes(name)}`.
       |""".stripMargin
  }
}
