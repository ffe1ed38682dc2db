package io.github.dynamickafka.spark.kafka.properties

/** Classes of the user that Kafka's properties name. A class that is compiled against Kafka's client works with that
  * client under its own name, and not with the one in the shaded jar.
  */
private[kafka] object PluginClasses {

  /** The first property whose class is compiled against Kafka's client under its own name, with that class, where the
    * client in this jar has another name.
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
