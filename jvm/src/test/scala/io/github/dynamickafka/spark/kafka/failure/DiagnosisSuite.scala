package io.github.dynamickafka.spark.kafka.failure

import java.time.Duration
import java.util.concurrent.{CompletionException, ExecutionException}

import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.errors._

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure}
import io.github.dynamickafka.spark.ids.ClusterId

/** What an exception of Kafka's client means, the same for the driver and for executors. */
class DiagnosisSuite extends munit.FunSuite {
  private val attempt = Attempt(ClusterId("eu"), "read the records", operation = "READ", topics = Seq("b", "a", "b"))
  private val topics  = new TopicAuthorizationException(java.util.Set.of("orders"))

  private val table = Seq(
    (
      new SaslAuthenticationException("no"),
      Condition.AuthenticationFailed,
      "Cluster eu refuses the credentials (SaslAuthenticationException: no).",
      Some("Correct them in the metadata")
    ),
    (
      topics,
      Condition.NotAuthorized,
      "Cluster eu does not allow operation READ on topic orders " +
        s"(TopicAuthorizationException: ${topics.getMessage}), so the source can't read the records.",
      Some("Allow READ on topic orders")
    ),
    (
      new ClusterAuthorizationException("no"),
      Condition.NotAuthorized,
      "Cluster eu does not allow operation READ on topic a, b (ClusterAuthorizationException: no), so the source " +
        "can't read the records.",
      Some("Allow READ on topic a, b")
    ),
    (
      new GroupAuthorizationException("no", "lag"),
      Condition.NotAuthorized,
      "Cluster eu does not allow reading the committed offsets of group lag (GroupAuthorizationException: no).",
      Some("Allow DESCRIBE on group lag")
    ),
    (
      new KafkaException("corrupt"),
      Condition.ClusterUnreachable,
      "Cannot read the records of cluster eu (KafkaException: corrupt).",
      None
    )
  )

  table.foreach { case (thrown, condition, happened, remedy) =>
    test(s"of a ${thrown.getClass.getSimpleName} condition, text and remedy are reported") {
      assertEquals(Diagnosis.of(attempt, thrown), Diagnosis(condition, happened, remedy))
    }

    test(s"a ${thrown.getClass.getSimpleName} inside futures is the same") {
      val wrapped = new ExecutionException(new CompletionException(thrown))
      assertEquals(Diagnosis.of(attempt, wrapped), Diagnosis.of(attempt, thrown))
    }
  }

  test("a failed TLS handshake names the certificates of both sides to check, and whose they are") {
    val said = Diagnosis.of(attempt.copy(whose = " of an executor"), new SslAuthenticationException("no"))
    assertEquals(said.condition, Condition.AuthenticationFailed: Condition)
    for (word <- Seq("of an executor", "trust store", "key store"))
      assert(said.happened.text.contains(word), said.happened)
  }

  test("the driver adds what to do, and names its own limit where no answer came") {
    val failure = Diagnosis.failure(attempt, Duration.ofSeconds(3)) _
    assertEquals(
      failure(new CompletionException(new java.util.concurrent.TimeoutException)),
      Failure(
        Condition.ClusterUnreachable,
        "Cannot read the records of cluster eu (TimeoutException: no answer within 3s). Check that its brokers run " +
          "and can be reached from the driver."
      )
    )
    assert(
      failure(new SaslAuthenticationException("no")).detail.endsWith("(SaslAuthenticationException: no). Correct " +
        "them in the metadata.")
    )
    val own = DynamicKafkaException(Condition.InvalidMetadata, "bad")
    assertEquals(failure(new CompletionException(own)), Failure(Condition.InvalidMetadata, "bad"))
  }
}
