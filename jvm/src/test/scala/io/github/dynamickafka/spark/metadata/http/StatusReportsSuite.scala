package io.github.dynamickafka.spark.metadata.http

import java.time.{Clock, Duration, Instant}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.ManualClock
import io.github.dynamickafka.spark.metadata.{CallingQuery, ServiceCaller}

/** What is sent back of a query, and when. */
class StatusReportsSuite extends FunSuite with ServiceFixture {
  import TestServer._

  private def later(seconds: Long): Instant = Instant.ofEpochSecond(seconds)

  /** The statuses that came, by a service of a query; requests for streams are left out. */
  private class Reported(server: TestServer, val service: HttpMetadataService, val clock: ManualClock) {
    def next(): JsonNode = server.take().head match {
      case Asked("POST", "/streams/status", headers, body) =>
        assertEquals(headers.get("content-type"), Some("application/json"))
        new ObjectMapper().readTree(body)
      case _ => next()
    }

    /** Fetches as a poller does, and takes what came. */
    def poll(): Unit =
      try service.applied(version(service.snapshot()), clock.instant)
      catch { case failure: DynamicKafkaException => service.refused(failure) }

    /** The next status: the one before may still be on its way at the first poll. */
    def polledUntilReported(pause: Duration = Duration.ZERO): Asked = {
      def polled() = {
        clock.advance(pause)
        poll()
        server.take().head
      }
      Iterator.continually(polled()).take(1000).find(_.method == "POST").getOrElse(fail("no status came"))
    }
  }

  private def reporting[A](
      behaviour: Behaviour,
      status: Behaviour = reply(204, "")
  )(body: (TestServer, Reported) => A): A =
    served { server =>
      def both(streams: Behaviour, status: Behaviour): Behaviour =
        exchange => (if (exchange.getRequestMethod == "POST") status else streams) (exchange)
      val clock = new ManualClock
      server.answers(both(behaviour, status))
      asking(
        server.url,
        Seq("tokenFile" -> written("t").toString),
        query = Some(CallingQuery(identity, new KeptVersion)),
        clock = clock
      ) {
        service => body(server, new Reported(server, service, clock))
      }
    }

  private def answering(server: TestServer, streams: Behaviour, status: Behaviour = reply(204, "")): Unit =
    server.answers(exchange => (if (exchange.getRequestMethod == "POST") status else streams) (exchange))

  test("a version that is applied is reported with the query, at once and once") {
    reporting(ok(streams(12))) { (server, it) =>
      it.poll()
      val status = it.next()
      assertEquals(
        status.toString,
        """{"query":{"id":"q-1","runId":"r-1","name":"orders","source":"0"},"state":"running",""" +
          """"applied":{"version":12,"at":"1970-01-01T00:00:00Z"},"at":"1970-01-01T00:00:00Z"}"""
      )
      for (_ <- 1 to 3) it.poll()
      assertEquals(server.take(3).map(_.method), Vector.fill(3)("GET"))
      assertEquals(server.untaken, 0)
    }
  }

  test("a bad push is reported with its version and the reason, and again when it is over") {
    reporting(ok(streams(12))) { (server, it) =>
      it.poll()
      it.next()
      answering(server, ok(streams(13, more = ""","colour":"red"""")))
      it.clock.advance(Duration.ofSeconds(1))
      it.poll()
      val bad = it.next()
      assertEquals(bad.at("/applied/version").longValue, 12L)
      assertEquals(bad.at("/refused/version").longValue, 13L)
      assertEquals(bad.at("/refused/condition").textValue, "DYNAMIC_KAFKA_INVALID_METADATA")
      assert(bad.at("/refused/reason").textValue.contains("field clusterMetadataList[0].colour"), bad)
      answering(server, ok(streams(14)))
      it.clock.advance(Duration.ofSeconds(1))
      it.poll()
      val good = it.next()
      assertEquals((good.at("/applied/version").longValue, good.has("refused")), (14L, false))
    }
  }

  test("a stale instance is reported as such") {
    reporting(ok(streams(12))) { (server, it) =>
      it.poll()
      it.next()
      answering(server, ok(streams(11)))
      it.poll()
      val status = it.next()
      assertEquals(status.at("/refused/version").longValue, 11L)
      assert(status.at("/refused/reason").textValue.contains("had version 12 before"), status)
    }
  }

  test("a good answer that is taken after a later one was refused leaves the refusal") {
    reporting(ok(streams(12))) { (_, it) =>
      it.service.snapshot()
      it.clock.advance(Duration.ofSeconds(5))
      it.service.refused(DynamicKafkaException(Condition.MetadataUnavailable, "gone"))
      assert(it.next().has("refused"))
      it.service.applied(Some(12), later(4))
      val status = it.next()
      assertEquals((status.at("/applied/version").longValue, status.has("refused")), (12L, true))
      it.service.applied(Some(12), later(6))
      assert(!it.next().has("refused"))
    }
  }

  test("an error that quotes other code is left to the log") {
    reporting(ok(streams(12))) { (_, it) =>
      val cause = new IllegalStateException("jdbc:mysql://me:s3cret@db")
      it.service.refused(DynamicKafkaException(Condition.MetadataUnavailable, s"The subscriber failed: $cause", cause))
      assertEquals(it.next().at("/refused/reason").textValue, "The log of the driver says why.")
      it.service.refused(DynamicKafkaException(Condition.InvalidMetadata, "x" * 5000))
      assertEquals(it.next().at("/refused/reason").textValue, "x" * 2000 + "…")
    }
  }

  test("a status that has not changed is sent once a minute, so that a query that died is seen") {
    reporting(ok(streams(12))) { (server, it) =>
      it.poll()
      it.next()
      it.clock.advance(Duration.ofSeconds(59))
      for (_ <- 1 to 3) it.poll()
      assertEquals(server.take(3).map(_.method), Vector.fill(3)("GET"))
      it.clock.advance(Duration.ofSeconds(1))
      assert(it.polledUntilReported().body.contains("\"at\":\"1970-01-01T00:01:00Z\"}"))
    }
  }

  test("a server that takes no status does not fail the query, and is tried again after a pause") {
    reporting(ok(streams(12)), status = reply(404, "no such page")) { (server, it) =>
      it.poll()
      it.next()
      it.poll()
      answering(server, ok(streams(12)))
      val again = it.polledUntilReported(Duration.ofSeconds(6))
      assert(again.body.contains("\"applied\":{\"version\":12"), again)
    }
  }

  test("a server that hangs on a status holds up neither fetches nor triggers, and the end for a second at most") {
    served { server =>
      answering(server, ok(streams(12)), status = server.silence)
      val service = new HttpMetadataService(
        settings(server.url),
        ServiceCaller(ten, Some(CallingQuery(identity, new KeptVersion))),
        Clock.systemUTC
      )
      val began = System.nanoTime
      for (_ <- 1 to 20) service.applied(version(service.snapshot()), Instant.now)
      service.close()
      assert(System.nanoTime - began < 8e9, "it waited for the server")
    }
  }

  test("the end of a query is reported, unless it never fetched anything") {
    served { server =>
      answering(server, ok(streams(12)))
      val query = Some(CallingQuery(identity, new KeptVersion))
      asking(server.url, query = query)(service => service.applied(version(service.snapshot()), Instant.now))
      // The first status may have been overtaken by the last one.
      val statuses = server.taken().filter(_.method == "POST").map(_.body.contains("\"state\":\"stopped\""))
      assert(statuses == Vector(true) || statuses == Vector(false, true), statuses)
      asking(server.url, query = query)(_ => ())
      assertEquals(server.untaken, 0)
    }
  }

  test("a status that could not be sent, whatever was thrown, is sent later") {
    val clock = new ManualClock
    val sent  = Iterator.from(1)
    val here  = new StatusReports(
      identity,
      _ => if (sent.next() == 1) throw new OutOfMemoryError("unable to create native thread"),
      task => task.run(),
      clock
    )
    here.now(_.goingBy(12, later(0)))
    clock.advance(Duration.ofSeconds(6))
    here.report()
    assertEquals(sent.next(), 3)
  }

  test("a batch read reports nothing") {
    served { server =>
      answering(server, ok(streams(12)))
      asking(server.url) { service =>
        service.applied(version(service.snapshot()), Instant.now)
        service.refused(DynamicKafkaException(Condition.InvalidMetadata, "x"))
      }
      assertEquals(server.take().map(_.method), Vector("GET"))
      assertEquals(server.untaken, 0)
    }
  }
}
