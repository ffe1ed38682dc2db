package io.github.dynamickafka.spark.metadata.http

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_16}
import java.nio.file.Files
import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeUnit}

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

/** Each way in which a server can misbehave: a failed fetch that says which, and never shows the token. */
class HttpErrorsSuite extends FunSuite with ServiceFixture {
  import TestServer._

  private val Token = "t0p-s3cret"

  private def failing(
      behaviour: TestServer => Behaviour,
      limit: Duration = ten
  ): DynamicKafkaException = served { server =>
    server.answers(behaviour(server))
    asking(server.url + "?key=hidden", Seq("tokenFile" -> written(Token).toString), limit) { service =>
      val failure = refusal(service)
      Seq(Token, "hidden").foreach(secret => assert(!failure.getMessage.contains(secret), failure.getMessage))
      assert(failure.detail.contains(s"metadata service at ${server.url} "), failure.detail)
      failure
    }
  }

  private def unavailable(expected: String)(behaviour: TestServer => Behaviour): Unit = {
    val failure = failing(behaviour)
    assertEquals(failure.condition, Condition.MetadataUnavailable: Condition)
    assert(failure.detail.contains(expected), failure.detail)
  }

  private def invalid(expected: String)(body: String): Unit = {
    val failure = failing(_ => ok(body))
    assertEquals(failure.condition, Condition.InvalidMetadata: Condition)
    assert(failure.detail.contains(expected), failure.detail)
  }

  for (
    (status, expected) <- Seq(
      401 -> "answered 401: the token is missing or not valid. Put a valid token into metadataService.tokenFile.",
      403 -> "answered 403: the token does not allow this.",
      404 -> "answered 404: the streams are not at this address. Correct metadataService.url.",
      410 -> "answered 410: the streams are no longer at this address.",
      418 -> "answered 418: it refuses the request.",
      429 -> "answered 429: too many requests. Raise metadataDiscoveryInterval",
      500 -> "answered 500: the server had an error. Look at its log. It is asked again at the next interval.",
      503 -> "answered 503: the service is not available now. It is asked again at the next interval.",
      204 -> "answered 204: the protocol has only 200 and 304.",
      206 -> "answered 206: the protocol has only 200 and 304."
    )
  )
    test(s"status $status is a failed fetch that says what to do, and not what the server says") {
      unavailable(expected)(_ => reply(status, if (status == 204) "" else s"echo: $Token", "Retry-After" -> "1"))
    }

  test("304 to a request without a condition is no answer") {
    unavailable("answered 304, though it was asked without a condition")(_ => reply(304, ""))
  }

  test("a page for people is no answer, nor is text without a type, in another encoding, or packed") {
    unavailable("answers with text/html")(_ => reply(200, streams(1), "Content-Type" -> "text/html"))
    unavailable("answers with no Content-Type")(_ => reply(200, streams(1)))
    unavailable("expected is application/json in UTF-8")(_ =>
      replyBytes(200, streams(1).getBytes(UTF_16), "Content-Type" -> "application/json; charset=utf-16")
    )
    unavailable("the Content-Encoding gzip")(_ => reply(200, streams(1), Json, "Content-Encoding" -> "gzip"))
  }

  test("JSON under a name of its own, or with its encoding, is JSON") {
    served { server =>
      for (
        kind <- Seq(
          "application/vnd.acme.streams+json",
          "Application/JSON;charset=UTF-8",
          "application/json; charset=\"utf-8\""
        )
      ) {
        server.answers(reply(200, streams(1), "Content-Type" -> kind))
        asking(server.url)(service => assertEquals(version(service.snapshot()), Some(1L), kind))
      }
    }
  }

  test("what is no JSON is refused with its place, and not shown") {
    invalid("is no valid JSON, or is cut off, line 2, column ")("{\"version\": 1,\n " + Token + "}")
    invalid("is no valid JSON, or is cut off")(streams(1).dropRight(1))
    invalid("is no valid JSON")(streams(1) + streams(2))
    invalid("is no valid JSON")("""{"version":1,"version":2,"streams":[]}""")
    invalid("is no valid JSON")("- streamId: orders")
    invalid("is empty.")("   ")
  }

  test("bytes that are no UTF-8 are refused") {
    val failure = failing(_ => replyBytes(200, streams(1, "ö").getBytes(ISO_8859_1), Json))
    assert(failure.detail.endsWith("is not UTF-8."), failure.detail)
  }

  test("an answer without a version, or with one that is no number, is refused") {
    invalid("is no JSON object with the fields version and streams.")("[]")
    for (version <- Seq("\"12\"", "-1", "1.5", "null", "99999999999999999999"))
      invalid("the field version must be a whole number from 0 on")(s"""{"version":$version,"streams":[]}""")
    invalid("the field version must be")("""{"streams":[]}""")
  }

  test("streams are as strict as the file, with line, stream and field of each problem") {
    invalid("can't be used (1 problem): line 1, field streams: it is missing")("""{"version":1}""")
    invalid("there is no such field; allowed are streams, version")("""{"version":1,"streams":[],"next":2}""")
    invalid("line 2, stream orders, field clusterMetadataList[0].colour: there is no such field")(
      streams(1, more = ""","colour":"red"""")
    )
    invalid("field streams: expected a list")("""{"version":1,"streams":{}}""")
  }

  test("a body that ends too early is cut, with and without a length") {
    unavailable("ended its answer too early")(_ => begun(1000, streams(1).take(20))(_.close()))
    unavailable("ended its answer too early")(_ =>
      begun(0, streams(1).take(20))(_ => throw new IllegalStateException("the server drops the connection"))
    )
  }

  test("a body beyond the limit is not read on, whether its length is reported or not") {
    val limit = HttpExchange.MaxBytes
    for (behaviour <- Seq[Behaviour](ok(" " * (limit + 1)), begun(0, " " * (limit + 1))(endless)))
      unavailable(s"sends more than $limit bytes. Let it leave out")(_ => behaviour)
    served { server =>
      server.answers(ok(streams(1).padTo(limit, ' ')))
      asking(server.url)(service => assertEquals(version(service.snapshot()), Some(1L)))
    }
  }

  test("an error's endless body is not waited for") {
    unavailable("answered 500") { _ => exchange =>
      exchange.sendResponseHeaders(500, 0)
      endless(exchange)
    }
  }

  private def endless: Behaviour = exchange => {
    val piece = (" " * 8192).getBytes
    // Until the client closes the connection, which is an IOException here.
    while (true) exchange.getResponseBody.write(piece)
  }

  test("a server that says nothing, or trickles, fails within the time for a fetch") {
    for (slow <- Seq[TestServer => Behaviour](s => s.silence, s => begun(1000, "{")(s.silence))) {
      val failure = failing(slow, limit = Duration.ofMillis(500))
      assert(failure.detail.contains("did not answer in full within 451ms. Look for what holds it up"), failure.detail)
    }
  }

  test("a server that is not there is named as that") {
    val gone = served(_.url)
    asking(gone) { service =>
      assert(refusal(service).detail.contains("can't be reached: it refuses connections"), refusal(service).detail)
    }
    asking("http://no-such-host.invalid/") { service =>
      assert(refusal(service).detail.contains("has a host name that can't be resolved"), refusal(service).detail)
    }
  }

  test("closing the service frees a call that hangs, and ends every call after it") {
    served { server =>
      server.answers(server.silence)
      asking(server.url) { service =>
        val hanging = CompletableFuture.supplyAsync(() => refusal(service).detail)
        server.take()
        service.close()
        assert(hanging.get(5, TimeUnit.SECONDS).contains("was left. The query ends."))
        assert(refusal(service).detail.contains("was left. The query ends."))
      }
    }
  }

  test("a file without a token is a failed fetch before anything is sent") {
    served { server =>
      val folder = Files.createTempDirectory("token")
      val cases  = Seq(
        written("")                 -> "is empty",
        written("two words")        -> "holds more than one word, or other characters",
        written("a\r\nX-Evil: b")   -> "holds more than one word, or other characters",
        written("x" * 20000)        -> "holds more than 16384 bytes",
        folder.resolve("not-there") -> "can't be read (NoSuchFileException)",
        folder                      -> "can't be read (IOException)"
      )
      for ((file, expected) <- cases) asking(server.url, Seq("tokenFile" -> file.toString)) { service =>
        val failure = refusal(service).detail
        assert(failure.contains(s"was not asked: the token's file $file $expected"), failure)
      }
      assertEquals(server.untaken, 0)
    }
  }
}
