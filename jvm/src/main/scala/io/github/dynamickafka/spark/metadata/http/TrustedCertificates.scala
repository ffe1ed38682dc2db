package io.github.dynamickafka.spark.metadata.http

import java.io.ByteArrayInputStream
import java.security.KeyStore
import java.security.cert.CertificateFactory
import javax.net.ssl.{SSLContext, TrustManagerFactory}

import scala.jdk.CollectionConverters._

/** Trust in the certificates of a PEM file, and in no others. */
private[http] object TrustedCertificates {

  /** @throws java.security.GeneralSecurityException if the file has no certificate, or one that can't be read */
  def of(pem: Array[Byte]): SSLContext = {
    val found = CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem)).asScala
    if (found.isEmpty) throw new java.security.cert.CertificateException("it holds no certificate")
    val store = KeyStore.getInstance(KeyStore.getDefaultType)
    store.load(null, null)
    found.zipWithIndex.foreach { case (certificate, number) => store.setCertificateEntry(number.toString, certificate) }
    val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    trust.init(store)
    val context = SSLContext.getInstance("TLS")
    context.init(null, trust.getTrustManagers, null)
    context
  }
}
