package io.github.dynamickafka.spark.metadata.http

import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.util.Base64
import javax.net.ssl.{KeyManagerFactory, SSLContext}

import munit.FunSuite

/** Trust in a server, by certificates that the JDK's keytool makes for this run. */
class TlsSuite extends FunSuite with ServiceFixture {
  import TestServer._

  private val password = "changeit".toCharArray

  /** A key with a certificate that signs itself, for this host. */
  private class Own(host: String) {
    private val folder = Files.createTempDirectory("tls")
    private val store  = {
      val file = folder.resolve("keys.p12")
      val tool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString
      val made = new ProcessBuilder(
        Seq(tool, "-genkeypair", "-alias", "own", "-dname", "CN=test", "-keyalg", "EC", "-validity", "30") ++
          Seq("-ext", s"san=$host", "-storetype", "PKCS12", "-keystore", file.toString, "-storepass", "changeit"): _*
      ).inheritIO().start().waitFor()
      assertEquals(made, 0)
      KeyStore.getInstance(file.toFile, password)
    }

    val pem: String = {
      val text = Base64.getMimeEncoder(64, "\n".getBytes).encodeToString(store.getCertificate("own").getEncoded)
      s"-----BEGIN CERTIFICATE-----\n$text\n-----END CERTIFICATE-----\n"
    }

    def context: SSLContext = {
      val keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
      keys.init(store, password)
      val context = SSLContext.getInstance("TLS")
      context.init(keys.getKeyManagers, null, null)
      context
    }
  }

  private lazy val here      = new Own("ip:127.0.0.1")
  private lazy val elsewhere = new Own("dns:elsewhere.example.com")

  private def secure[A](own: Own)(body: TestServer => A): A = {
    val server = new TestServer(Some(own.context))
    server.answers(ok(streams(1)))
    try body(server)
    finally server.close()
  }

  test("a server is trusted by the certificates of caFile, which are read again") {
    secure(here) { server =>
      val file = written(elsewhere.pem)
      asking(server.url, Seq("caFile" -> file.toString)) { service =>
        assert(refusal(service).detail.contains("can't be trusted: TLS failed"), refusal(service).detail)
        Files.writeString(file, elsewhere.pem + here.pem)
        assertEquals(version(service.snapshot()), Some(1L))
        Files.writeString(file, elsewhere.pem)
        assert(refusal(service).detail.contains("must be signed by metadataService.caFile"), refusal(service).detail)
      }
    }
  }

  test("without caFile a server that nobody has signed is not trusted") {
    secure(here)(server =>
      asking(server.url)(service =>
        assert(refusal(service).detail.contains("can't be trusted"), refusal(service).detail)
      )
    )
  }

  test("a certificate for another host is not trusted, though its authority is") {
    secure(elsewhere) { server =>
      asking(server.url, Seq("caFile" -> written(elsewhere.pem).toString)) { service =>
        assert(refusal(service).detail.contains("must name the host in the address"), refusal(service).detail)
      }
    }
  }

  test("a caFile without certificates, or that is not there, is a failed fetch that names it") {
    for (
      (file, expected) <- Seq(
        written("") -> "can't be used (it holds no certificate)",
        written("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n") -> "can't be used (",
        Path.of("/no/such/file")                                               -> "can't be read (NoSuchFileException)"
      )
    ) asking("https://127.0.0.1:1/", Seq("caFile" -> file.toString)) { service =>
      val failure = refusal(service).detail
      assert(failure.contains(s"was not asked: metadataService.caFile $file $expected"), failure)
    }
  }
}
