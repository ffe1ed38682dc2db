package io.github.dynamickafka.spark.kafka.properties

class KafkaClassNamesSuite extends munit.FunSuite {
  private def moved(property: String, value: String): String = KafkaClassNames.within("shaded.kafka")(property, value)

  test("Kafka's class names are moved in properties that hold classes, whole lists included") {
    assertEquals(moved("sasl.login.class", "org.apache.kafka.common.X"), "shaded.kafka.common.X")
    assertEquals(
      moved("config.providers.file.class", "org.apache.kafka.common.config.provider.FileConfigProvider"),
      "shaded.kafka.common.config.provider.FileConfigProvider"
    )
    assertEquals(moved("metric.reporters", "a.B, org.apache.kafka.C"), "a.B,shaded.kafka.C")
    assertEquals(moved("sasl.login.class", "my.org.apache.kafka.X"), "my.org.apache.kafka.X")
  }

  test("a login module is moved, and what a user wrote between quotes is not") {
    val one =
      """org.apache.kafka.common.security.plain.PlainLoginModule required password="; org.apache.kafka.\"x$1";"""
    assertEquals(
      moved("sasl.jaas.config", one),
      """shaded.kafka.common.security.plain.PlainLoginModule required password="; org.apache.kafka.\"x$1";"""
    )
    assertEquals(
      moved("sasl.jaas.config", "a.B required;\n org.apache.kafka.C required;"),
      "a.B required;\n shaded.kafka.C required;"
    )
  }

  test("a quoted value may be long, as a token or a key is") {
    val long  = "x;org.apache.kafka.y\\\"" * 5000
    val entry = (module: String) => s"""$module.LoginModule required token="$long" other="z";"""
    assert(long.length >= 100000)
    assertEquals(
      moved("sasl.jaas.config", entry("org.apache.kafka") + entry("org.apache.kafka")),
      entry("shaded.kafka") + entry("shaded.kafka")
    )
  }

  test("no other value is touched, and none at all where Kafka's classes have their own names") {
    assertEquals(moved("ssl.keystore.password", "org.apache.kafka.x"), "org.apache.kafka.x")
    assertEquals(KafkaClassNames.here("sasl.login.class", "org.apache.kafka.X"), "org.apache.kafka.X")
  }

  test("each property of Kafka's that holds classes is known") {
    val holding = Seq(
      "config.providers.x.class",
      "metric.reporters",
      "sasl.client.callback.handler.class",
      "sasl.login.callback.handler.class",
      "sasl.login.class",
      "sasl.oauthbearer.jwt.retriever.class",
      "security.providers",
      "ssl.engine.factory.class"
    )
    holding.foreach(property => assertEquals(moved(property, "org.apache.kafka.X"), "shaded.kafka.X", property))
  }

  test("system properties that forbid or allow are heeded under Kafka's own names, values and all") {
    val set = Map(
      "org.apache.kafka.disallowed.login.modules" -> "com.sun.X,org.apache.kafka.common.security.plain.PlainLoginModule",
      "org.apache.kafka.automatic.config.providers" -> "none",
      "shaded.kafka.automatic.config.providers"     -> "own",
      "java.io.tmpdir"                              -> "/tmp"
    )
    assertEquals(
      KafkaClassNames.systemProperties(set, "shaded.kafka"),
      Map("shaded.kafka.disallowed.login.modules" -> "com.sun.X,shaded.kafka.common.security.plain.PlainLoginModule")
    )
    assertEquals(KafkaClassNames.systemProperties(set), Map.empty[String, String])
  }
}
