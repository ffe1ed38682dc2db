package io.github.dynamickafka.spark.pages

import io.github.dynamickafka.spark.errors.{Condition, ConditionHelp}

/** All conditions: as a page, and as what `dynamic-kafka explain` prints. */
private[pages] object ErrorsPage {

  /** Which class each condition has in Python. */
  val PythonClasses = "python/src/dynamic_kafka/errors.py"

  /** Where the Python package has the texts. */
  val PythonTexts = "python/src/dynamic_kafka/_conditions.json"

  private val Head =
    """# Errors
      |
      |<!-- Generated; never edited: `make docs`. -->
      |
      |Each condition of an error or a warning: when it comes, and what to do. A message begins with its condition.
      |The message of an error ends with the command that explains it, and with its fields:
      |
      |```
      |[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cluster us-1 did not answer within 30 s. …
      |More: dynamic-kafka explain CLUSTER_UNREACHABLE. Fields: {"cluster":"us-1"}
      |```
      |
      |After an error the next start of the query continues exactly where it was.
      |
      |## In a program
      |
      |In Python `dynamic_kafka.find_error` finds our error behind a `StreamingQueryException`, and behind any exception of a
      |batch read, also Py4J's `Py4JJavaError`. In Scala and Java it is `DynamicKafkaException.find(exception)`.
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
      |The error has `condition`, and what its text names: `cluster`, `stream`, `topic`, `partition`, `option`, `file`, `line`.
      |On the JVM these are getters, such as `getCluster()`. For other languages a message ends with them as JSON.
      |
      |In `dynamic_kafka.errors` each condition has a class: `CLUSTER_UNREACHABLE` is `ClusterUnreachableError`.
      |
      |## Conditions
      |
      |An error names the command that prints its text here: [`dynamic-kafka explain`](../command-line.md#explain).
      |""".stripMargin

  private val PythonOnly = Seq(
    "DYNAMIC_KAFKA_CHECKPOINT" -> ConditionHelp(
      "`dynamic-kafka` or `dynamic_kafka.migrate` got a folder that is no checkpoint, is empty or is damaged.",
      "The error names the file. Copy the whole folder while its query is stopped."
    ),
    "DYNAMIC_KAFKA_FAILED" -> ConditionHelp(
      "A command, or a call of the Python package, failed in a way that has no condition of its own.",
      "The message says what happened, and what to do."
    ),
    "DYNAMIC_KAFKA_JAR_MISSING" -> ConditionHelp(
      "The installed package has no jar inside.",
      "Install the wheel of a release, or run `make jar` in a checkout."
    ),
    "DYNAMIC_KAFKA_NO_JAVA" -> ConditionHelp(
      "A command or the demo finds no Java that is new enough, or none of Spark's libraries.",
      "Install Java 17 or newer, and set `JAVA_HOME` or put it on the PATH. For the libraries: `pip install " +
        "'dynamic-kafka-spark[cli,pyspark]'`, or set `SPARK_HOME`."
    ),
    "DYNAMIC_KAFKA_VERSION_MISMATCH" -> ConditionHelp(
      "The jar in the session has another version than the Python package.",
      "Change the line that the error names, so that both have one version."
    )
  )

  def markdown(python: String): String = {
    val classes = classesOf(python)
    Head + ours.map(section(classes)).mkString +
      "\n## Conditions of the Python package alone\n" + PythonOnly.map(section(classes)).mkString
  }

  /** The same texts for a terminal, as JSON. */
  def json(python: String): String = {
    val classes = classesOf(python)
    val objects = (ours ++ PythonOnly).map { case (name, help) =>
      val fields = Seq(
        "condition" -> name,
        "when"      -> ReferenceLinks.plain(help.when),
        "do"        -> ReferenceLinks.plain(help.todo),
        "python"    -> classes(name)
      )
      fields.map { case (field, text) => s"""  "$field": ${quoted(text)}""" }.mkString("{\n", ",\n", "\n}")
    }
    objects.mkString("[\n", ",\n", "\n]\n")
  }

  private def quoted(text: String): String = "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""

  private def ours: Seq[(String, ConditionHelp)] =
    Condition.all.map(condition => condition.name -> ConditionHelp.of(condition))

  private def classesOf(python: String): Map[String, String] =
    """class (\w+)\([^)]*\):(?:(?!\nclass )[\s\S])*?\n    condition(?:: str)? = "(\w+)"""".r
      .findAllMatchIn(python)
      .map(found => found.group(2) -> found.group(1))
      .toMap

  private def section(classes: Map[String, String])(named: (String, ConditionHelp)): String = {
    val (name, help) = named
    s"""
       |### $name
       |
       |${ReferenceLinks.of(help.when)}
       |
       |**Do**: ${ReferenceLinks.of(help.todo)}
       |""".stripMargin + unusual(name, classes(name)).fold("")(python => s"\nPython: `$python`.\n")
  }

  /** The class in Python, if its name is not that of the condition. */
  private def unusual(condition: String, python: String): Option[String] = {
    val words = condition.stripPrefix("DYNAMIC_KAFKA_").toLowerCase.split("_")
    Option.when(python != words.map(_.capitalize).mkString + "Error")(python)
  }
}
