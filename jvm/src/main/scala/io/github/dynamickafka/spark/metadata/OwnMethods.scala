package io.github.dynamickafka.spark.metadata

import java.util.{Collection => JCollection}

import io.github.dynamickafka.spark.KafkaMetadataService

/** Which methods a service has itself, of those that the interface has a default for. */
final private case class OwnMethods(describes: Boolean, reportsActive: Boolean)

private object OwnMethods {
  val Both: OwnMethods = OwnMethods(describes = true, reportsActive = true)

  def of(service: KafkaMetadataService): OwnMethods = service match {
    case json: JsonMetadataService => json.own
    case other                     =>
      OwnMethods(has(other, "describeStreams", classOf[JCollection[_]]), has(other, "isClusterActive", classOf[String]))
  }

  private def has(service: KafkaMetadataService, method: String, parameter: Class[_]): Boolean =
    service.getClass.getMethod(method, parameter).getDeclaringClass != classOf[KafkaMetadataService]
}
