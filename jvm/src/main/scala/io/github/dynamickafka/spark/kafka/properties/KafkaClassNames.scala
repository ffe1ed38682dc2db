package io.github.dynamickafka.spark.kafka.properties

import java.util.regex.{Matcher, Pattern}

import org.apache.kafka.clients.consumer.KafkaConsumer

/** Users name Kafka's classes as Kafka does. In the shaded jar these classes live in another package. So names are
  * replaced in the properties that hold class names, and in no other value.
  */
object KafkaClassNames {
  // In parts, because shading replaces names in literals too, and this one must stay.
  private[kafka] val Original = Seq("org", "apache", "kafka").mkString(".")

  private[kafka] val Home = classOf[KafkaConsumer[_, _]].getName.stripSuffix(".clients.consumer.KafkaConsumer")

  private val OtherNames = Set("metric.reporters", "partition.assignment.strategy", "security.providers")

  /** The value, with the names that Kafka's classes have in this jar. */
  def here(property: String, value: String): String = within(Home)(property, value)

  /** The value, with Kafka's classes in this package. */
  def within(home: String)(property: String, value: String): String =
    if (home == Original) value
    else if (property.endsWith(Jaas)) loginModules(home, value)
    else if (holdsClasses(property)) relocate(home, value)
    else value

  /** The classes that a property names. Of several login modules only the first. */
  private[kafka] def classes(property: String, value: String): Vector[String] =
    if (property.endsWith(Jaas)) value.trim.split("\\s", 2).toVector.take(1)
    else if (holdsClasses(property)) value.split(',').map(_.trim).filter(_.nonEmpty).toVector
    else Vector.empty

  /** The system properties that say what Kafka's client may load and which addresses it may ask, under the names that
    * the client in this jar looks for. Those that are set under these names already are left out.
    */
  def systemProperties(set: Map[String, String], home: String = Home): Map[String, String] =
    if (home == Original) Map.empty
    else
      for {
        (name, value) <- set
        here = relocate(home, name)
        if here != name && !set.contains(here)
      } yield here -> relocate(home, value)

  private val Jaas = "jaas.config"

  private def holdsClasses(property: String): Boolean =
    property.endsWith(".class") || property.endsWith(".classes") || OtherNames(property)

  private def relocate(home: String, names: String): String = names.split(",", -1).map { name =>
    val trimmed = name.trim
    if (trimmed.startsWith(s"$Original.")) home + trimmed.stripPrefix(Original) else name
  }.mkString(",")

  // A login module's name is the first word of an entry, and entries end with semicolons. Text inside quotes is the
  // user's, maybe a password.
  private def loginModules(home: String, value: String): String =
    JaasPart.replaceAllIn(
      value,
      part => Matcher.quoteReplacement(Option(part.group(1)).fold(part.matched)(_ + home + part.group(2)))
    )

  private val JaasPart = {
    // `*+` never backtracks, so Java's engine uses a loop. With `*` it recurses for each character of a quoted value.
    val quoted = "\"(?:\\\\.|[^\"\\\\])*+\""
    s"$quoted|((?:^|;)\\s*)${Pattern.quote(Original)}(\\.)".r
  }
}
