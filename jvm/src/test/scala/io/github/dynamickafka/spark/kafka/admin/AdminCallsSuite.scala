package io.github.dynamickafka.spark.kafka.admin

import java.lang.reflect.Proxy
import java.time.Duration
import java.util.concurrent.{CompletableFuture, CompletionException}
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.{Admin, DescribeClusterOptions, DescribeTopicsResult, TopicDescription}
import org.apache.kafka.common.{KafkaFuture, TopicCollection, TopicPartition, Uuid}
import org.apache.kafka.common.acl.AclOperation
import org.apache.kafka.common.errors._
import org.apache.kafka.common.internals.KafkaFutureImpl

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

  private val first  = Uuid.randomUuid
  private val second = Uuid.randomUuid

  private def described(name: String, id: Uuid): KafkaFuture[TopicDescription] =
    KafkaFuture.completedFuture(new TopicDescription(name, false, java.util.List.of, java.util.Set.of, id))

  private def refusing(cause: Throwable): KafkaFuture[TopicDescription] = {
    val answer = new KafkaFutureImpl[TopicDescription]
    answer.completeExceptionally(cause)
    answer
  }

  /** A cluster with the topic `orders`, which answers by its name with the first of `named`, then the next, and by its id
    * as given. Returns what is asked, and the calls.
    */
  private def describing(byId: KafkaFuture[TopicDescription], named: KafkaFuture[TopicDescription]*) = {
    val asked = new AtomicReference(Vector.empty[String])
    val names = named.iterator
    val admin = Proxy.newProxyInstance(
      getClass.getClassLoader,
      Array(classOf[Admin]),
      (_, _, arguments) =>
        arguments(0) match {
          case ids: TopicCollection.TopicIdCollection =>
            asked.updateAndGet(_ :+ "id")
            new DescribeTopicsResult(ids.topicIds.asScala.map(_ -> byId).toMap.asJava, null) {}
          case _ =>
            asked.updateAndGet(_ :+ "name")
            new DescribeTopicsResult(null, java.util.Map.of("orders", names.next())) {}
        }
    ).asInstanceOf[Admin]
    (asked, new AdminCalls(admin, committedOnly = false, Duration.ofSeconds(5)))
  }

  private def shape(id: Uuid): TopicAnswer = TopicShape(Some(id.toString), Vector.empty)

  test("topics whose ids are known are described by id, which is one request instead of two") {
    val (asked, calls) = describing(described("orders", first), described("orders", first))
    for (_ <- 1 to 3) assertEquals(calls.topics(Set("orders")).join, Map("orders" -> shape(first)))
    assertEquals(asked.get, Vector("name", "id", "id"))
  }

  test("a topic whose id is not known any more, or refused, is asked for by name: created anew, gone or denied") {
    val after = Seq(
      described("orders", second)                     -> shape(second),
      refusing(new UnknownTopicOrPartitionException)  -> TopicAnswer.Absent,
      refusing(new TopicAuthorizationException("no")) -> TopicAnswer.Denied
    )
    for (
      refusal        <- Seq(new UnknownTopicIdException("gone"), new TopicAuthorizationException("no"));
      (named, found) <- after
    ) {
      val (asked, calls) = describing(refusing(refusal), described("orders", first), named)
      calls.topics(Set("orders")).join
      assertEquals(calls.topics(Set("orders")).join, Map("orders" -> found))
      assertEquals(asked.get, Vector("name", "id", "name"))
    }
  }

  test("brokers that take no ids are asked by name from then on; a failure of the cluster is asked for once") {
    val one            = described("orders", first)
    val (asked, calls) = describing(refusing(new UnsupportedVersionException("old")), one, one, one)
    for (_ <- 1 to 3) assertEquals(calls.topics(Set("orders")).join, Map("orders" -> shape(first)))
    assertEquals(asked.get, Vector("name", "id", "name", "name"))

    val (again, late) = describing(refusing(new TimeoutException("late")), one)
    late.topics(Set("orders")).join
    val failure = intercept[CompletionException](late.topics(Set("orders")).join)
    assert(failure.getCause.isInstanceOf[TimeoutException])
    assertEquals(again.get, Vector("name", "id"))
  }

  test("a topic without an id is described by name") {
    val one            = described("orders", Uuid.ZERO_UUID)
    val (asked, calls) = describing(refusing(new TimeoutException("never asked")), one, one)
    for (_ <- 1 to 2) assertEquals(calls.topics(Set("orders")).join, Map("orders" -> TopicShape(None, Vector.empty)))
    assertEquals(asked.get, Vector("name", "name"))
  }
}
