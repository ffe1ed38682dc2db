package io.github.dynamickafka.spark.kafka.properties

import munit.FunSuite

class SecretPropertiesSuite extends FunSuite {
  test("a text is shown without the secrets of properties, whole or in a login") {
    val login = """org.apache.kafka.X required username="reader" password="hunter2" ;"""
    val known = Seq(Map("sasl.jaas.config" -> login, "ssl.key.password" -> "k3y", "client.id" -> "orders"))
    assertEquals(
      SecretProperties.masked(s"reader of orders: hunter2, k3y; $login", known),
      "reader of orders: ***, ***; ***"
    )
  }

  test("what Kafka declares as a password and no placeholder stands for is a literal secret") {
    val properties = Map(
      "client.rack"             -> "eu-west-1a",
      "sasl.jaas.config"        -> "com.acme.Module required password=\"x\";",
      "ssl.key.password"        -> "x",
      "ssl.keystore.password"   -> "${env:KEYSTORE}",
      "ssl.truststore.password" -> "${file:/run/secrets/trust}"
    )
    assertEquals(SecretProperties.literal(properties), Vector("sasl.jaas.config", "ssl.key.password"))
  }

  test("so is a password that is written out beside a placeholder for something else of the login") {
    def literal(login: String) =
      SecretProperties.literal(Map("sasl.jaas.config" -> s"com.acme.Module required $login;"))
    assertEquals(literal("username=\"${env:U}\" password=\"x\""), Vector("sasl.jaas.config"))
    assertEquals(literal("username=\"${env:U}\" clientSecret = \"x\""), Vector("sasl.jaas.config"))
    assertEquals(literal("username=\"${env:U}\" password='x'"), Vector("sasl.jaas.config"))
    assertEquals(literal("username=\"${env:U}\" password=x"), Vector("sasl.jaas.config"))
    assertEquals(literal("username=\"${env:U}\" password=${env:P}"), Vector.empty)
    assertEquals(literal("username=\"u\" password=\"${env:P}\""), Vector.empty)
  }
}
