package io.github.dynamickafka.spark.metadata

import java.lang.ref.Reference
import java.util.{Set => JSet}

import io.github.dynamickafka.spark.{InMemoryMetadataService, KafkaStreamSubscriber}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

class RegisteredSuite extends munit.FunSuite {
  private def service() = new InMemoryMetadataService(JSet.of())

  private def handle(value: String): String = {
    assert(value.startsWith("registered:"), value)
    value.stripPrefix("registered:")
  }

  test("one object has one handle and one lock, however often it is registered") {
    val mine  = service()
    val first = Registered.service(mine)
    assertEquals(Registered.service(mine), first)
    val (one, two) = (Registered.findService(handle(first)), Registered.findService(handle(first)))
    assert(one.service eq mine)
    assert(one.lock eq two.lock)
    assert(one.lock.isFair)
  }

  test("two equal objects are two services") {
    val (one, two) = (service(), service())
    assertNotEquals(Registered.service(one), Registered.service(two))
    Reference.reachabilityFence(one)
  }

  test("a subscriber comes back by its handle") {
    val mine: KafkaStreamSubscriber = _ => JSet.of("orders")
    assert(Registered.findSubscriber(handle(Registered.subscriber(mine))) eq mine)
  }

  test("an object that nobody holds is forgotten") {
    val dropped = Registered.service(service())
    // A garbage collection clears objects that are only weakly reachable. Several are tried, because none is
    // guaranteed.
    val gone = Iterator.continually(System.gc()).take(20).exists { _ =>
      scala.util.Try(Registered.findService(handle(dropped))).isFailure
    }
    assert(gone)
  }

  test("a handle of another driver is an invalid option, and says to register again") {
    val failure = intercept[DynamicKafkaException](Registered.findService("4711"))
    assertEquals(failure.condition, Condition.InvalidOption: Condition)
    assert(failure.detail.startsWith("Option metadataService is registered:4711, but this driver has no such object"))
    assert(
      intercept[DynamicKafkaException](Registered.findSubscriber("4711")).detail.startsWith("Option streamSubscriber")
    )
  }
}
