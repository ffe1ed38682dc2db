package io.github.dynamickafka.spark.metadata

import java.lang.reflect.{InvocationTargetException, Modifier}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Named, Say}

/** A class of the user's that an option names.
  *
  * @param option the option, for messages
  */
final private class UserClass[A <: AnyRef] private (option: String, found: Class[_ <: A]) {

  /** A new object. Uses the public constructor that takes the config if there is one, else the one without parameters.
    *
    * @throws DynamicKafkaException `INVALID_OPTION` without such a constructor, `METADATA_UNAVAILABLE` if it throws
    */
  def create(config: java.util.Map[String, String]): A =
    constructor(classOf[java.util.Map[_, _]]).map(make(_, config)).getOrElse(create())

  /** The same, only by the public constructor without parameters. */
  def create(): A = constructor().map(make(_)).getOrElse(throw invalid("has no public constructor that fits"))

  private def constructor(parameters: Class[_]*) =
    if (!Modifier.isPublic(found.getModifiers) || Modifier.isAbstract(found.getModifiers)) None
    else found.getConstructors.find(_.getParameterTypes.toSeq == parameters)

  private def make(constructor: java.lang.reflect.Constructor[_], arguments: AnyRef*): A =
    ServiceFailure.guarded(s"The constructor of ${found.getName}, named by the option $option,") {
      try found.cast(constructor.newInstance(arguments: _*))
      catch { case e: InvocationTargetException => throw e.getCause }
    }

  private def invalid(problem: String): DynamicKafkaException = UserClass.invalid(option, found.getName, problem)
}

private object UserClass {

  /** Finds a class. Searches the thread's context class loader, which has the jars of `spark.jars` and `ADD JAR`, and
    * then our own class loader.
    *
    * @throws DynamicKafkaException `INVALID_OPTION` if there is none, or it has the wrong type
    */
  def load[A <: AnyRef](option: String, name: String, kind: Class[A]): UserClass[A] = {
    val loaders = Seq(Thread.currentThread.getContextClassLoader, getClass.getClassLoader).filter(_ != null)
    val found   = loaders.iterator.flatMap(in(option, name, _)).nextOption().getOrElse(
      throw invalid(option, name, "is not on the driver's class path; add its jar with spark.jars or --packages")
    )
    if (!kind.isAssignableFrom(found)) throw invalid(option, name, s"does not implement ${kind.getName}")
    new UserClass(option, found.asSubclass(kind))
  }

  private def in(option: String, name: String, loader: ClassLoader): Option[Class[_]] =
    try Some(Class.forName(name, true, loader))
    catch {
      case _: ClassNotFoundException => None
      case e: LinkageError           =>
        throw DynamicKafkaException(
          Condition.InvalidOption,
          say"Option ${Named.option(option)} names the class $name, which can't be loaded: $e. A class that it needs may be missing, or be of another version.",
          e
        )
    }

  private def invalid(option: String, name: String, problem: String): DynamicKafkaException =
    DynamicKafkaException(
      Condition.InvalidOption,
      say"Option ${Named.option(option)} names the class $name, which $problem."
    )
}
