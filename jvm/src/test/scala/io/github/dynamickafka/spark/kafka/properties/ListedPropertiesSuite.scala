package io.github.dynamickafka.spark.kafka.properties

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId

/** Which secrets are masked in the text of a service. */
class ListedPropertiesSuite extends FunSuite {
  private def cluster(number: Int) = ClusterId(s"c$number") -> Map("ssl.key.password" -> s"secret-of-$number.")

  test("the secrets of clusters that are listed and of the last hundred that were are masked, of no more") {
    val properties = new ListedProperties
    for (number <- 0 to 300) properties.set(Map(cluster(1000), cluster(number)))
    for (number <- Seq(1000, 300, 299, 200)) {
      val text = properties.masked(s"it says secret-of-$number.")
      assert(!text.contains("secret-of"), text)
    }
    assert(properties.masked("it says secret-of-199.").contains("secret-of-199"))
  }

  test("a cluster that comes again counts as listed") {
    val properties = new ListedProperties
    properties.set(Map(cluster(1)))
    properties.set(Map.empty)
    properties.set(Map(cluster(1)))
    for (number <- 2 to 200) properties.set(Map(cluster(1), cluster(number)))
    assert(!properties.masked("secret-of-1.").contains("secret-of-1"))
  }

  private def masked(text: String, cause: Throwable): DynamicKafkaException = {
    val properties = new ListedProperties
    properties.set(Map(cluster(1)))
    properties.masked(DynamicKafkaException(Condition.MetadataUnavailable, text, cause))
  }

  test("a cause is lost if it, its own cause, or what one of them suppressed has a secret") {
    val secret     = new IllegalStateException("secret-of-1. is refused")
    val suppressed = new IllegalStateException("down")
    suppressed.addSuppressed(secret)
    for (cause <- Seq(secret, new Exception("down", secret), suppressed, new Exception("down", suppressed)))
      assertEquals(Option(masked("it failed", cause).getCause), None)
  }

  test("a cause without one is kept, also where the text has one, and where causes are a circle") {
    val circle = new IllegalStateException("down")
    circle.addSuppressed(new Exception("too", circle))
    for (text <- Seq("it failed", "it failed: secret-of-1.")) assert(masked(text, circle).getCause eq circle)
  }
}
