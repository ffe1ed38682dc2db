package io.github.dynamickafka.spark.kafka.properties

import munit.FunSuite

class BootstrapListSuite extends FunSuite {
  test("each address needs a host and a port that Kafka's client can read") {
    assertEquals(
      BootstrapList.unreadable("b1:9092, b2 ,,b3:,b4:x,b5:0,b6:65536,:9092,[::1]:9092,SASL_SSL://b7:9092"),
      Vector("b2", "b3:", "b4:x", "b5:0", "b6:65536", ":9092")
    )
  }

  test("the good addresses are host and port alone") {
    assertEquals(BootstrapList.addresses(" b1 , SASL_SSL://b2:9093,b3:9092"), Vector("b2" -> 9093, "b3" -> 9092))
    assertEquals(BootstrapList.addresses("user:s3cret@b1:9092,b2:9092"), Vector("b2" -> 9092))
    assertEquals(BootstrapList.addresses("[2001:db8::1]:9092"), Vector("2001:db8::1" -> 9092))
    assertEquals(BootstrapList.addresses("b1"), Vector.empty)
  }
}
