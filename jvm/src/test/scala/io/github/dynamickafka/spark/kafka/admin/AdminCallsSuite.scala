package io.github.dynamickafka.spark.kafka.admin

import java.lang.reflect.Proxy
import java.time.Duration
import java.util.concurrent.{CompletableFuture, CompletionException}
import java.util.concurrent.atomic.AtomicReference

import org.apache.kafka.clients.admin.{Admin, DescribeClusterOptions}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.acl.AclOperation
import org.apache.kafka.common.errors._

/** What brokers report about permissions, and about offsets of each partition. */
class AdminCallsSuite extends munit.FunSuite {
  private def rights(operations: AclOperation*) = AdminCalls.missing(java.util.Set.of(operations: _*))

  test("READ is missing where the brokers say what is allowed, and it is not among that") {
    assertEquals(rights(AclOperation.DESCRIBE, AclOperation.WRITE), Vector("READ"))
    assertEquals(rights(AclOperation.DESCRIBE, AclOperation.READ), Vector.empty[String])
    assertEquals(rights(AclOperation.DESCRIBE, AclOperation.ALL), Vector.empty[String])
  }

  test("brokers that do not say what is allowed, or leave out what we just did, are no proof that READ is missing") {
    assertEquals(AdminCalls.missing(null), Vector.empty[String])
    assertEquals(rights(), Vector.empty[String])
    assertEquals(rights(AclOperation.UNKNOWN), Vector.empty[String])
  }

  test("the longest time that the options allow is one that Kafka's client takes") {
    val limit = new AtomicReference(Option.empty[Integer])
    val admin = Proxy.newProxyInstance(
      getClass.getClassLoader,
      Array(classOf[Admin]),
      (_, _, arguments) => {
        limit.set(Some(arguments(0).asInstanceOf[DescribeClusterOptions].timeoutMs))
        throw new UnsupportedOperationException
      }
    ).asInstanceOf[Admin]
    for (days <- Seq(25L, 36500L)) {
      intercept[UnsupportedOperationException](
        new AdminCalls(admin, committedOnly = false, Duration.ofDays(days)).clusterId
      )
      assertEquals(limit.get.map(_.intValue), Some(Int.MaxValue))
    }
  }

  private val orders = new TopicPartition("orders", 0)

  private def failed(cause: Throwable): CompletableFuture[FoundOffset] = CompletableFuture.failedFuture(cause)

  test("a leader that is gone or late keeps only its partition from an answer") {
    val open = new CompletableFuture[FoundOffset]
    for (silent <- Seq(open, failed(new TimeoutException("late")), failed(new DisconnectException("gone")))) {
      val other = new TopicPartition("orders", 1)
      val said  =
        AdminCalls.answered(Vector(orders -> silent, other -> CompletableFuture.completedFuture(FoundOffset(5))))
      assertEquals(said, Offsets(Map(other -> FoundOffset(5)), Map(orders -> silent)))
    }
  }

  test(
    "a topic that may be described no more is named, one that is not known too, and a refused login is the cluster's"
  ) {
    assertEquals(
      AdminCalls.answered(Vector(orders -> failed(new TopicAuthorizationException("no")))),
      Offsets(Map.empty, denied = Set("orders"))
    )
    val unknown = failed(new UnknownTopicOrPartitionException)
    assertEquals(AdminCalls.answered(Vector(orders -> unknown)), Offsets(Map.empty, unknown = Map(orders -> unknown)))
    val refused = intercept[CompletionException](
      AdminCalls.answered(Vector(orders -> failed(new SaslAuthenticationException("no"))))
    )
    assert(refused.getCause.isInstanceOf[SaslAuthenticationException])
  }
}
