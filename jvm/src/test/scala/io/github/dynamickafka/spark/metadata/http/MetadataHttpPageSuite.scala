package io.github.dynamickafka.spark.metadata.http

import java.nio.file.{Files, Paths}
import java.time.Instant

import com.fasterxml.jackson.databind.ObjectMapper
import munit.FunSuite

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.ManualClock
import io.github.dynamickafka.spark.metadata.CallingQuery
import io.github.dynamickafka.spark.options.OptionsPage
import io.github.dynamickafka.spark.status.QueryIdentity

/** Replays `docs/metadata-http.md`: the server says what the page says, and what it is asked must be what the page shows. */
class MetadataHttpPageSuite extends FunSuite with ServiceFixture {
  import MetadataHttpPageSuite._

  private lazy val page =
    Files.readString(OptionsPage.top(Paths.get("").toAbsolutePath).resolve("docs/metadata-http.md"))

  /** All requests of the page with their answers, in its order; behind some the error that follows from them. */
  private lazy val exchanges: Vector[Shown] = {
    val blocks = Block.findAllMatchIn(page).map(found => Message.of(found.group(1)) -> found.end).toVector
    blocks.grouped(2).map {
      case Vector((request, _), (answer, end)) => Shown(request, answer, quoted(page.substring(end)))
      case odd                                 => fail(s"a request without an answer: $odd")
    }.toVector
  }

  private def quoted(behind: String): Option[String] = {
    val lines = behind.linesIterator.dropWhile(_.isBlank).takeWhile(_.startsWith("> ")).map(_.drop(2)).toVector
    Option.when(lines.nonEmpty)(lines.mkString(" "))
  }

  private def reply(answer: Message): TestServer.Behaviour =
    TestServer.reply(answer.first.split(" ")(1).toInt, answer.body, answer.headers.toSeq: _*)

  private def same(asked: Asked, shown: Message): Unit = {
    assertEquals(s"${asked.method} ${asked.target} HTTP/1.1", shown.first)
    // Whoever it is sent to, and how long it is, is not ours to say.
    val said = asked.headers.removedAll(Seq("host", "content-length", "connection"))
    // The page shows the headers of all requests with the first one.
    val headers = exchanges.head.request.headers ++ shown.headers
    assertEquals(said, headers.map { case (name, value) => name.toLowerCase -> value }.removed("host"))
    val json = new ObjectMapper
    if (shown.body.nonEmpty) assertEquals(json.readTree(asked.body), json.readTree(shown.body))
    else assertEquals(asked.body, "")
  }

  test("each request of the page is sent as it stands there, and each answer has the effect that it says") {
    served { server =>
      val clock = new ManualClock(Instant.parse("2026-11-22T09:00:00Z"))
      val query = QueryIdentity(
        "7c1d3a52-9a0c-4b0e-8a55-0d6a2f0a4a10",
        "f3b0c7e4-51e9-4f0d-9d43-3c1f5a2b6d77",
        Some("orders-to-lake"),
        "0"
      )
      val token = Seq("tokenFile" -> written("s3cret-token\n").toString)
      asking(server.url, token, query = Some(CallingQuery(query, new KeptVersion)), clock = clock) { service =>
        exchanges.zip(exchanges.drop(1).map(Some(_)) :+ None).foreach { case (shown, next) =>
          server.answers(reply(shown.answer))
          if (shown.request.first.startsWith("GET")) {
            val outcome = fetched(service)
            assertEquals(outcome.left.toOption.map(_.summary.replace(server.origin, Origin)), shown.error)
            same(server.take().head, shown.request)
            // What is reported is sent at once, so the server must know the answer by then.
            next.filter(_.request.first.startsWith("POST")).foreach { status =>
              server.answers(reply(status.answer))
              outcome.fold(service.refused, version => service.applied(version, clock.instant))
            }
          } else same(rewritten(server.take().head, server), shown.request)
        }
        server.answers(TestServer.reply(204, ""))
      }
    }
  }

  private def fetched(service: HttpMetadataService): Either[DynamicKafkaException, Option[Long]] =
    try Right(version(service.snapshot()))
    catch { case failure: DynamicKafkaException => Left(failure) }

  private def rewritten(asked: Asked, server: TestServer): Asked =
    asked.copy(body = asked.body.replace(server.origin, Origin))

  test("the page shows fetches that succeed, that fail, and statuses") {
    assert(exchanges.sizeIs > 5)
    assertEquals(exchanges.count(_.error.isDefined), 2)
    assertEquals(exchanges.map(_.request.first.takeWhile(_ != ' ')).toSet, Set("GET", "POST"))
  }

  test("what the page says of each status is what the error says") {
    val rows = "(?m)^\\| `(\\d+)` \\| (.*) \\|$".r.findAllMatchIn(page).toVector
    assert(rows.sizeIs > 5)
    served { server =>
      asking(server.url) { service =>
        for (row <- rows) {
          server.answers(TestServer.reply(row.group(1).toInt, ""))
          assert(
            refusal(service).detail.contains(s"answered ${row.group(1)}: ${row.group(2)}. "),
            refusal(service).detail
          )
        }
      }
    }
  }

  test("the page has each option of the service, and no other") {
    val named  = "(?m)^\\| `metadataService\\.(\\w+)` \\|".r.findAllMatchIn(page).map(_.group(1)).toSet
    val taken  = HttpSettings.check(Map("url" -> "https://h", "none" -> "")).mkString
    val listed = "metadataService\\.(\\w+)".r.findAllMatchIn(taken.split("takes ")(1)).map(_.group(1)).toSet
    assertEquals(named, listed)
  }
}

private object MetadataHttpPageSuite {
  val Origin = "https://metadata.example.com"

  val Block = "(?s)```http\n(.*?)```".r

  final case class Shown(request: Message, answer: Message, error: Option[String])

  /** One message of HTTP as the page writes it. */
  final case class Message(first: String, headers: Map[String, String], body: String)

  object Message {
    def of(text: String): Message = {
      val (head, body) = text.linesIterator.toVector.span(!_.isBlank)
      val headers      = head.tail.map(line => line.takeWhile(_ != ':') -> line.dropWhile(_ != ':').drop(1).trim)
      Message(head.head, headers.toMap, body.drop(1).mkString("\n"))
    }
  }
}
