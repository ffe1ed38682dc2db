package io.github.dynamickafka.spark.kafka.properties

/** Classes of the user that Kafka's properties name. A class that is compiled against Kafka's client needs its
  * packages `org.apache.kafka`. It does not work with the relocated client of the shaded jar.
  */
private[kafka] object PluginClasses {

  /** The first property that names a class compiled against `org.apache.kafka`, and that class, if the client in this jar
    * is relocated.
    *
    * @param home the package of the client in this jar
    */
  def misfit(home: String, properties: Map[String, String], loader: ClassLoader): Option[(String, String)] =
    if (home == KafkaClassNames.Original) None
    else
      (for {
        (property, value) <- properties.toVector.sortBy(_._1).iterator
        name              <- KafkaClassNames.classes(property, value)
        if !name.startsWith(home) && needsKafka(name, loader)
      } yield property -> name).nextOption()

  /** Whether a failure reports that there is no Kafka client under its own name. */
  def missesKafka(failure: Throwable): Boolean = failure match {
    case e: NoClassDefFoundError   => belongs(e.getMessage)
    case e: ClassNotFoundException => belongs(e.getMessage)
    case _                         => false
  }

  private def needsKafka(name: String, loader: ClassLoader): Boolean =
    try ancestors(Class.forName(name, false, loader)).exists(kind => belongs(kind.getName))
    catch {
      case e @ (_: LinkageError | _: ClassNotFoundException) => missesKafka(e) && !belongs(name)
    }

  private def ancestors(kind: Class[_]): Set[Class[_]] = {
    val direct = Option(kind.getSuperclass).toSet ++ kind.getInterfaces
    direct ++ direct.flatMap(above => ancestors(above))
  }

  private def belongs(name: String): Boolean =
    Option(name).exists(_.replace('/', '.').startsWith(s"${KafkaClassNames.Original}."))
}
