package io.github.dynamickafka.spark.options

class LiteralSecretsSuite extends munit.FunSuite {
  test("a secret that stands in an option is found, however its key is written") {
    val options = Map(
      "kafka.ssl.key.password"           -> "x",
      "Kafka.SASL.jaas.config"           -> "x",
      "metadataService.sasl.jaas.config" -> "x",
      "kafka.plugin.token"               -> "x"
    )
    assertEquals(LiteralSecrets.among(options), options.keys.toSeq.sorted)
  }

  test("a placeholder, an empty text and a property that is no secret are not taken for one") {
    val options = Map(
      "kafka.ssl.key.password"                    -> "${file:/run/secret}",
      "kafka.sasl.jaas.config"                    -> "module required password=\"${env:PASSWORD}\";",
      "kafka.ssl.keystore.password"               -> "",
      "kafka.sasl.oauthbearer.token.endpoint.url" -> "https://login",
      "metadataService.path"                      -> "/streams.yaml",
      "password"                                  -> "no option"
    )
    assertEquals(LiteralSecrets.among(options), Seq.empty)
  }
}
