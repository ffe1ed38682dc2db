package io.github.dynamickafka.spark.kafka.client

import java.util.{Map => JMap}

import scala.util.control.NonFatal

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.failure.OpeningFailure
import io.github.dynamickafka.spark.kafka.properties.ClientEnvironment

/** Opens every client: with our class loader, and with errors that show no property's value. */
private[kafka] object ClientOpening {

  /** The client that `create` makes.
    *
    * @param properties what it is made from
    * @throws DynamicKafkaException `INVALID_METADATA`, also for a class that is compiled against Kafka's client under a
    *                               name that it does not have here; `CLUSTER_UNREACHABLE` if no host of an address can be
    *                               resolved; `AUTHENTICATION_FAILED` for a login that fails before a broker is asked
    */
  def open[A](cluster: ClusterId, properties: JMap[String, AnyRef])(create: => A): A = {
    ClientEnvironment.prepare()
    val thread  = Thread.currentThread
    val context = thread.getContextClassLoader
    // Kafka loads the classes that properties name through the context class loader, which may not know our jar.
    thread.setContextClassLoader(getClass.getClassLoader)
    try create
    catch {
      case e @ (NonFatal(_) | _: LinkageError) => throw new OpeningFailure(cluster, properties, e).exception
    } finally thread.setContextClassLoader(context)
  }
}
