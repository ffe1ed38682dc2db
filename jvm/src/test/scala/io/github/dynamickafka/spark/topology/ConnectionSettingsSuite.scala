package io.github.dynamickafka.spark.topology

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations

class ConnectionSettingsSuite extends FunSuite {
  private val settings = new ConnectionSettings(Map("sasl.jaas.config" -> "s3cret", "bootstrap.servers" -> "b:1"))

  test("its text names the properties and shows no value, within a topology and its change, too") {
    assertEquals(settings.toString, "ConnectionSettings(bootstrap.servers, sasl.jaas.config)")
    val listed = Situations.listed("eu" -> Situations.topics("orders").copy(connection = Right(settings)))
    for (text <- Seq[Any](listed, listed.clusters.head._2, Map("eu" -> settings)))
      assert(!text.toString.contains("s3cret") && text.toString.contains("sasl.jaas.config"), text)
  }

  test("equal properties are an equal connection, and others are not") {
    assertEquals(new ConnectionSettings(settings.properties), settings)
    assertNotEquals(new ConnectionSettings(settings.properties + ("client.rack" -> "r")), settings)
  }
}
