package io.github.dynamickafka.spark.metadata.http

import java.nio.file.Files
import java.util.{List => JList}

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.metadata.CallingQuery

/** What a fetch asks, and which versions it takes. What goes wrong on the way is in `HttpErrorsSuite`. */
class HttpMetadataServiceSuite extends FunSuite with ServiceFixture {
  import TestServer._

  test("streams come in the form of the file, and their clusters are active unless they say otherwise") {
    served { server =>
      server.answers(ok(streams(1, more = ""","active":false,"endingOffsets":{"orders":{"0":1200}}""")))
      asking(server.url) { service =>
        val view = service.snapshot()
        assertEquals((version(view), topics(view)), (Some(1L), Set("orders")))
        assertEquals((view.isClusterActive("eu-1"), view.isClusterActive("eu-2")), (false, false))
        server.answers(ok(streams(2)))
        assert(service.isClusterActive("eu-1"))
        assertEquals(service.describeStreams(JList.of("orders", "none")).keySet, java.util.Set.of("orders"))
        assertEquals(topics(view), Set("orders"))
      }
    }
  }

  test("no streams at all is an empty list, and no failure") {
    served { server =>
      server.answers(ok("""{"streams":[],"version":0}"""))
      asking(server.url)(service => assertEquals(topics(service.snapshot()), Set.empty[String]))
    }
  }

  test("a request says what it takes, and no token without a file") {
    served { server =>
      server.answers(ok(streams(1)))
      asking(server.url + "?tenant=a")(_.snapshot(): Unit)
      val asked = server.take().head
      assertEquals((asked.method, asked.target, asked.body), ("GET", "/streams?tenant=a", ""))
      assertEquals(asked.headers.get("accept"), Some("application/json"))
      assert(asked.headers("user-agent").matches("dynamic-kafka/\\d+\\.\\d+\\.\\d+"), asked.headers)
      assertEquals(asked.headers.keySet.intersect(Set("authorization", "if-none-match", "upgrade")), Set.empty[String])
    }
  }

  test("the token is read again for each request, so that it can be rotated") {
    served { server =>
      server.answers(ok(streams(1)))
      val file = written("first-token\n")
      asking(server.url, Seq("tokenFile" -> file.toString)) { service =>
        service.snapshot()
        Files.writeString(file, " second-token ")
        service.snapshot()
      }
      assertEquals(server.take(2).map(_.headers("authorization")), Vector("Bearer first-token", "Bearer second-token"))
    }
  }

  test("the next request carries the tag of the last answer, and a 304 keeps that answer") {
    served { server =>
      asking(server.url) { service =>
        server.answers(ok(streams(7), tag = "\"7-abc\""))
        service.snapshot()
        server.answers(reply(304, ""))
        assertEquals((version(service.snapshot()), topics(service.snapshot())), (Some(7L), Set("orders")))
        server.answers(ok(streams(8, "moved"), tag = "W/\"8\""))
        assertEquals(topics(service.snapshot()), Set("moved"))
        service.snapshot()
        assertEquals(
          server.take(5).map(_.headers.get("if-none-match")),
          Vector(None, Some("\"7-abc\""), Some("\"7-abc\""), Some("\"7-abc\""), Some("W/\"8\""))
        )
      }
    }
  }

  test("an invalid tag is not sent back") {
    served { server =>
      asking(server.url) { service =>
        for (tag <- Seq("7", "\"a\"b\"", "\"" + "x" * 2000 + "\"")) {
          server.answers(ok(streams(7), tag))
          service.snapshot()
          service.snapshot()
          assertEquals(server.take(2).flatMap(_.headers.get("if-none-match")), Vector.empty)
        }
      }
    }
  }

  test("an answer that is refused is asked for again in full") {
    served { server =>
      asking(server.url) { service =>
        server.answers(ok(streams(7), tag = "\"7\""))
        service.snapshot()
        server.answers(ok(streams(8, topic = ""), tag = "\"8\""))
        assertEquals(refusal(service).condition, Condition.InvalidMetadata: Condition)
        refusal(service)
        assertEquals(server.take(3).map(_.headers.get("if-none-match")), Vector(None, Some("\"7\""), Some("\"7\"")))
      }
    }
  }

  test("an earlier version is a stale instance: the fetch fails, and the last streams stay") {
    served { server =>
      asking(server.url) { service =>
        server.answers(ok(streams(12, "new")))
        service.snapshot()
        server.answers(ok(streams(11, "old")))
        val failure = refusal(service)
        assertEquals(failure.condition, Condition.MetadataUnavailable: Condition)
        assert(failure.detail.contains("has version 11 of the streams, though it had version 12 before"), failure)
        server.answers(ok(streams(12, "new")))
        assertEquals(version(service.snapshot()), Some(12L))
      }
    }
  }

  test("the last version is kept over a restart of the query, for its address alone") {
    served { server =>
      val query = Some(CallingQuery(identity, new KeptVersion))
      server.answers(ok(streams(12)))
      asking(server.url, query = query)(_.snapshot(): Unit)
      server.answers(ok(streams(11)))
      asking(server.url, query = query) { later =>
        val failure = refusal(later).detail
        assert(
          failure.contains("had version 12 before") && failure.contains("delete the folder sources/0/metadata"),
          failure
        )
      }
      // Another service counts for itself.
      asking(server.url + "/of-another", query = query)(other => assertEquals(version(other.snapshot()), Some(11L)))
      asking(server.url)(batchRead => assertEquals(version(batchRead.snapshot()), Some(11L)))
    }
  }

  test("an answer that can't be used does not count as seen") {
    served { server =>
      asking(server.url, query = Some(CallingQuery(identity, new KeptVersion))) { service =>
        server.answers(ok(streams(99, topic = "")))
        refusal(service)
        server.answers(ok(streams(12)))
        assertEquals(version(service.snapshot()), Some(12L))
      }
    }
  }

  test("one version is one list of streams, however it is written") {
    served { server =>
      asking(server.url) { service =>
        server.answers(ok(streams(5)))
        service.snapshot()
        server.answers(ok(streams(5).replaceAll("\\s+", "")))
        service.snapshot()
        server.answers(ok(streams(5, "other")))
        val failure = refusal(service)
        assertEquals(failure.condition, Condition.InvalidMetadata: Condition)
        assert(failure.detail.contains("other streams than before under the same version 5"), failure.detail)
      }
    }
  }

  test("a version that can't be kept is a failed fetch, and does not count") {
    served { server =>
      server.answers(ok(streams(12)))
      val full = new KeptVersion { override def write(next: String): Unit = throw new java.io.IOException("disk full") }
      asking(server.url, query = Some(CallingQuery(identity, full))) { service =>
        for (_ <- 1 to 2) assert(refusal(service).detail.contains("can't be written in the folder sources/0/metadata"))
      }
    }
  }

  test("what another version of the library kept is named, and not guessed at") {
    served { server =>
      server.answers(ok(streams(12)))
      for (text <- Seq("", "12", """{"version":2,"service":"x","metadata":1}""")) {
        val kept = new KeptVersion
        kept.write(text)
        asking(server.url, query = Some(CallingQuery(identity, kept))) { service =>
          val failure = refusal(service)
          assertEquals(failure.condition, Condition.OffsetVersion: Condition)
          assert(failure.detail.contains("sources/0/metadata"), failure.detail)
        }
      }
    }
  }

  test("what is kept holds no address") {
    served { server =>
      val kept = new KeptVersion
      server.answers(ok(streams(12)))
      asking(server.url, query = Some(CallingQuery(identity, kept)))(_.snapshot(): Unit)
      assert(kept.read().get.matches("""\{"version":1,"service":"[0-9a-f]{16}","metadata":12\}"""), kept.read())
    }
  }
}
