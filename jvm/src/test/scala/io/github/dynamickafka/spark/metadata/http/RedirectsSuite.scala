package io.github.dynamickafka.spark.metadata.http

import munit.FunSuite

/** Where a request may be sent on to. */
class RedirectsSuite extends FunSuite with ServiceFixture {
  import TestServer._

  private def to(location: String, status: Int = 302): Behaviour = reply(status, "", "Location" -> location)

  /** A server that answers at `/streams` as a test wants, and at `/there` with streams. */
  private def redirecting(server: TestServer)(behaviour: Behaviour): Unit =
    server.answers(exchange =>
      if (exchange.getRequestURI.getPath == "/there") ok(streams(1))(exchange) else behaviour(exchange)
    )

  test("a redirect within the origin is followed, with the token") {
    served { server =>
      for (status <- Seq(301, 302, 303, 307, 308); location <- Seq("/there", "there", server.origin + "/there?x=1")) {
        redirecting(server)(to(location, status))
        asking(server.url, Seq("tokenFile" -> written("t").toString))(s =>
          assertEquals(version(s.snapshot()), Some(1L))
        )
        assertEquals(server.take(2).map(_.headers.get("authorization")), Vector.fill(2)(Some("Bearer t")))
      }
    }
  }

  test("a redirect to another host, port or scheme is refused: nothing is sent there, least of all the token") {
    served { other =>
      served { server =>
        for (
          location <-
            Seq(other.url, server.url.replace("127.0.0.1", "localhost"), server.url.replace("http:", "https:"))
        ) {
          server.answers(to(location))
          asking(server.url, Seq("tokenFile" -> written("t0p-s3cret").toString)) { service =>
            val failure = refusal(service).detail
            val origin  = location.stripSuffix("/streams")
            assert(failure.contains(s"redirects to another origin, $origin, which is refused"), failure)
            assert(!failure.contains("s3cret"), failure)
          }
        }
        assertEquals((server.untaken, other.untaken), (3, 0))
      }
    }
  }

  test("a redirect without an end, or to nowhere, is refused") {
    served { server =>
      for (
        (location, expected) <- Seq(
          "/streams" -> "more than 3 times",
          ""         -> "more than 3 times",
          "ftp://x/" -> "without a valid Location",
          ":::"      -> "without a valid Location"
        )
      ) {
        server.answers(to(location))
        asking(server.url)(service => assert(refusal(service).detail.contains(s"redirects"), refusal(service).detail))
        asking(server.url)(service => assert(refusal(service).detail.contains(expected), refusal(service).detail))
      }
      server.answers(reply(302, ""))
      asking(server.url)(service => assert(refusal(service).detail.contains("without a valid Location"), "no Location"))
    }
  }
}
