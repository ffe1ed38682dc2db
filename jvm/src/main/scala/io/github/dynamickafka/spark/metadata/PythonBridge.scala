package io.github.dynamickafka.spark.metadata

import java.util.Properties

import scala.util.Using

import py4j.GatewayServer

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStreamSubscriber}

/** What the Python package calls over Py4J. Python must keep the objects that it gets here, because the registry holds
  * them weakly.
  */
object PythonBridge {

  /** A service that calls Python.
    *
    * @param python Py4J's own server, which has the connections to Python
    * @param describes whether the service has a `describe_streams` of its own
    * @param reportsActive whether it has an `is_cluster_active` of its own
    */
  def service(call: JsonCall, python: GatewayServer, describes: Boolean, reportsActive: Boolean): KafkaMetadataService =
    new JsonMetadataService(asked(call, python), OwnMethods(describes, reportsActive))

  /** A subscriber that calls Python, as above. */
  def subscriber(call: JsonCall, python: GatewayServer): KafkaStreamSubscriber =
    new JsonStreamSubscriber(asked(call, python))

  /** The value of the option `metadataService` for this object. */
  def register(service: KafkaMetadataService): String = Registered.service(service)

  /** The value of the option `streamSubscriber` for this object. */
  def registerSubscriber(subscriber: KafkaStreamSubscriber): String = Registered.subscriber(subscriber)

  private def asked(call: JsonCall, python: GatewayServer): JsonCall =
    new PythonThreads(call, PythonThreads.disconnected(python))

  /** The version of this jar. The Python package must have the same. */
  def version: String = {
    val properties = new Properties
    Using.resource(classOf[JsonCall].getResourceAsStream("/io/github/dynamickafka/spark/version.properties"))(
      properties.load
    )
    properties.getProperty("version")
  }
}
