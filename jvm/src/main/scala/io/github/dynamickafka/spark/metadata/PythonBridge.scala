package io.github.dynamickafka.spark.metadata

import java.util.Properties

import scala.util.Using

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStreamSubscriber}

/** What the Python package calls over Py4J. Python must hold what it is given here: objects are registered weakly. */
object PythonBridge {

  /** A service that asks Python. */
  def service(call: JsonCall): KafkaMetadataService = new JsonMetadataService(new KeptThreads(call))

  /** A subscriber that asks Python. */
  def subscriber(call: JsonCall): KafkaStreamSubscriber = new JsonStreamSubscriber(new KeptThreads(call))

  /** The value of the option `metadataService` that means this object. */
  def register(service: KafkaMetadataService): String = Registered.service(service)

  /** The value of the option `streamSubscriber` that means this object. */
  def registerSubscriber(subscriber: KafkaStreamSubscriber): String = Registered.subscriber(subscriber)

  /** The version of this jar, which must be that of the Python package. */
  def version: String = {
    val properties = new Properties
    Using.resource(classOf[JsonCall].getResourceAsStream("/io/github/dynamickafka/spark/version.properties"))(
      properties.load
    )
    properties.getProperty("version")
  }
}
