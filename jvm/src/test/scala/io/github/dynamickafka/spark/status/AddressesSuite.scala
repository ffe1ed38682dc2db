package io.github.dynamickafka.spark.status

import munit.FunSuite

class AddressesSuite extends FunSuite {
  private def hidden(text: String): String = Addresses.hidden(text, "b1.example.com:9092, SSL://b2:9093")

  test("hosts with a port, IP addresses, and hosts of the metadata are hidden") {
    for (
      text <- Seq(
        "b9.example.com:9092",
        "b9:9092",
        "b9/10.0.0.1:9092",
        "/10.0.0.1:9092",
        "10.0.0.1",
        "[2001:db8::1]:9092",
        "localhost:1",
        "b1.example.com"
      )
    ) assertEquals(hidden(s"Node $text is gone."), "Node <address> is gone.")
    assertEquals(hidden("at https://registry/streams refuses"), "at https://<address>/streams refuses")
    assertEquals(hidden("at HTTP://registry.corp:80/a"), "at HTTP://<address>/a")
    assertEquals(hidden("SSL://b2:9093,b3:9093"), "SSL://<address>,<address>")
  }

  test("times, offsets, conditions and names stay") {
    for (
      text <- Seq(
        "at 12:30:15, 3 tries in 12.5 s",
        "partition 0: read up to 10, mirrored up to 8",
        "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cluster eu-1.b: no answer: version 4.3.1",
        "orders:{\"0\":12}"
      )
    ) assertEquals(hidden(text), text)
  }
}
