package io.github.dynamickafka.spark.metadata.http

import java.nio.file.Path
import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.metadata.{FailureAssertions, MetadataServices, OpenService, Placeholders}
import io.github.dynamickafka.spark.options.{ServiceChoice, ServiceSettings}

/** The options of the service: what they mean, and what is refused at `load()` already. */
class HttpSettingsSuite extends FunSuite with FailureAssertions {
  private val placeholders = new Placeholders(Map("BASE" -> "https://secret-host", "BAD" -> "ftp://x").get, _ => "")

  private def parsed(config: (String, String)*): HttpSettings =
    HttpSettings.parse(config.toMap, config.toMap).fold(problems => fail(problems.mkString("; ")), identity)

  private def checked(config: (String, String)*): Vector[String] = HttpSettings.check(config.toMap)

  test("an address is all it needs") {
    val settings = parsed("url" -> "https://h/streams")
    assertEquals((settings.tokenFile, settings.caFile), (None, None))
    assertEquals(checked("url" -> "https://h/streams"), Vector.empty)
  }

  test("files are taken as they are") {
    val settings = parsed("url" -> "https://h", "tokenFile" -> "/t", "caFile" -> "/c.pem")
    assertEquals(settings.tokenFile.map(_.path), Some(Path.of("/t")))
    assertEquals(settings.caFile.map(_.path), Some(Path.of("/c.pem")))
  }

  test("a status goes below the address of the streams") {
    for (
      (url, expected) <- Seq(
        "https://h"            -> "https://h/status",
        "https://h:8443/a/"    -> "https://h:8443/a/status",
        "http://h/a%20b?t=x&y" -> "http://h/a%20b/status?t=x&y"
      )
    ) assertEquals(parsed("url" -> url).url.status.toString, expected)
  }

  test("an address is shown without what may be a secret of it") {
    for (
      (url, expected) <- Seq(
        "https://h:8443/a?token=x" -> "https://h:8443/a",
        "HTTPS://Host:443/a"       -> "https://host/a",
        "http://h:80"              -> "http://h"
      )
    ) assertEquals(parsed("url" -> url).url.toString, expected)
    val written = "https://me:pw@${env:HOST}/a?k=v"
    assertEquals(ServiceUrl.parse("https://h/a", written).map(_.toString), Right("https://${env:HOST}/a"))
  }

  test("a file is shown as it is written: who takes the option for the secret itself does not find it in an error") {
    val written  = Map("url" -> "https://h", "tokenFile" -> "${env:TOKEN}", "caFile" -> "/${file:/ca}")
    val resolved = Map("url" -> "https://h", "tokenFile" -> "s3cret", "caFile" -> "/s3cret")
    val settings = HttpSettings.parse(resolved, written).fold(problems => fail(problems.mkString), identity)
    assertEquals(settings.tokenFile.map(_.path), Some(Path.of("s3cret")))
    assert(!settings.toString.contains("s3cret"), settings.toString)
    val failures = new HttpFailures(settings.url)
    val token    = failing(Condition.MetadataUnavailable)(new BearerToken(settings.tokenFile.get, failures).header())
    assert(token.getMessage.contains("the token's file ${env:TOKEN} can't be read"), token.getMessage)
    assert(token.getCause == null && !token.getMessage.contains("s3cret"), token.getMessage)
    val clients   = new HttpClients(settings.caFile, Duration.ofSeconds(1), failures, _.run())
    val authority = failing(Condition.MetadataUnavailable)(clients.current()).getMessage
    assert(authority.contains("metadataService.caFile /${file:/ca} can't be read"), authority)
  }

  test("all problems are reported at once, and none shows a value") {
    assertEquals(
      checked("tokenFile" -> "", "caFile" -> " ", "Url" -> "x", "path" -> "y"),
      Vector(
        "metadataService.Url is unknown to `http`, which takes metadataService.url, metadataService.tokenFile, " +
          "metadataService.caFile",
        "metadataService.path is unknown to `http`, which takes metadataService.url, metadataService.tokenFile, " +
          "metadataService.caFile",
        "`http` needs the option metadataService.url",
        "metadataService.tokenFile: it is no path of a file",
        "metadataService.caFile: it is no path of a file"
      )
    )
  }

  test("an address that can't be one is refused before anything is sent") {
    for (
      (url, expected) <- Seq(
        "streams.yaml"   -> "it does not begin with https:// or http://",
        "ftp://h/s3cret" -> "it does not begin with https:// or http://",
        "https://me:s3cret@h/a" -> "it holds a user's name or password, which Spark would print: use metadataService.tokenFile",
        "https://under_score/a" -> "it has no host that is valid",
        "https:///a"            -> "it",
        "https://h/a#s3cret"    -> "it has a fragment",
        "https://h/ s3cret"     -> "it is no URL"
      )
    ) {
      val problems = checked("url" -> url)
      assert(problems.forall(_.startsWith(s"metadataService.url: $expected")), problems)
      assert(problems.sizeIs == 1 && !problems.mkString.contains("s3cret"), problems)
    }
  }

  test("by name it is opened for the source, with placeholders resolved, and shown as they are written") {
    def open(url: String) =
      MetadataServices.open(ServiceSettings(ServiceChoice.Http, Map("url" -> url)), Map.empty, placeholders)
    open("${env:BASE}/streams") match {
      case OpenService.Owned(service: HttpMetadataService) => service.close()
      case other                                           => fail(s"not the source's own: $other")
    }
    assertEquals(
      failing(Condition.InvalidOption)(open("${env:BAD}/streams")).detail,
      "The metadata service can't be opened: metadataService.url: it does not begin with https:// or http://."
    )
  }

  test("load() refuses what can't be opened, and leaves placeholders to the start") {
    def check(config: (String, String)*): Unit =
      MetadataServices.check(ServiceSettings(ServiceChoice.Http, config.toMap), Map.empty)
    check("url" -> "${env:ANY}/streams", "tokenFile" -> "${env:FILE}")
    assertEquals(
      failing(Condition.InvalidOption)(check("url" -> "nothing", "caFile" -> " ")).detail,
      "The metadata service can't be opened: metadataService.url: it does not begin with https:// or http://; " +
        "metadataService.caFile: it is no path of a file."
    )
  }
}
