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

  test(
    "a password is masked whole, whatever characters are in its quotes, and so is the key inside a connection string"
  ) {
    def masked(options: String, text: String) =
      SecretProperties.masked(text, Seq(Map("sasl.jaas.config" -> s"com.acme.Module required $options;")))
    assertEquals(masked("password=\"semi;colon\"", "it is semi;colon"), "it is ***")
    assertEquals(masked("password=\"two words\"", "it is two words"), "it is ***")
    assertEquals(masked("password='it\"s'", "it is it\"s"), "it is ***")
    assertEquals(masked("password=\"a\\\"b;c\"", "it is a\"b;c"), "it is ***")
    assertEquals(masked("password=plain", "it is plain"), "it is ***")
    assertEquals(masked("password=\"open", "it is open"), "it is ***")
    val hub = "Endpoint=sb://hub.example/;SharedAccessKeyName=reader;SharedAccessKey=Zm9v+/8="
    assertEquals(masked(s"password=\"$hub\"", s"no rights with $hub"), "no rights with ***")
    assertEquals(masked(s"password=\"$hub\"", "the key Zm9v+/8= is old"), "the key *** is old")
  }

  test("a key of several lines is masked as it stands, as JSON and Python quote it, and line by line") {
    val key = "-----BEGIN PRIVATE KEY-----\nMIIEabcdefghijklmnop\nqrstuvwxyzABCDEF\n-----END PRIVATE KEY-----\n"
    def masked(text: String) = SecretProperties.masked(text, Seq(Map("ssl.keystore.key" -> key)))
    assertEquals(masked(s"refused: $key"), "refused: ***\n")
    assertEquals(
      masked(s"refused: {'ssl.keystore.key': '${key.trim.replace("\n", "\\n")}'}"),
      "refused: {'ssl.keystore.key': '***'}"
    )
    assertEquals(masked("MIIEabcdefghijklmnop is no base64"), "*** is no base64")
    assertEquals(masked("-----BEGIN PRIVATE KEY----- is missing"), "-----BEGIN PRIVATE KEY----- is missing")
  }

  test("a secret with quotes is masked as JSON quotes it") {
    val known = Seq(Map("ssl.key.password" -> "a\"b\\c"))
    assertEquals(SecretProperties.masked("{\"password\":\"a\\\"b\\\\c\"}", known), "{\"password\":\"***\"}")
  }

  test("a placeholder stays in the text: it is no secret") {
    val text = "${env:P} can't be resolved"
    assertEquals(SecretProperties.masked(text, Seq(Map("ssl.key.password" -> "${env:P}"))), text)
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
