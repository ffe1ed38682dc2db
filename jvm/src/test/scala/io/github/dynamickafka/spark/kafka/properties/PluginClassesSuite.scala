package io.github.dynamickafka.spark.kafka.properties

import java.util.{List => JList, Map => JMap}

import org.apache.kafka.common.metrics.{KafkaMetric, MetricsReporter}

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, KafkaConsumers}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A user's classes that are compiled against Kafka's client, with a jar that has the client under its own name, like
  * the thin one, and with a jar that has not.
  */
class PluginClassesSuite extends munit.FunSuite {
  private val loader = getClass.getClassLoader
  private val plugin = classOf[CountingReporter].getName

  private def misfit(properties: (String, String)*) = PluginClasses.misfit("shaded.kafka", properties.toMap, loader)

  test("such a class works where Kafka's client has its own name") {
    val before     = CountingReporter.configured
    val connection = new ConnectionSettings(Map("bootstrap.servers" -> "localhost:1", "metric.reporters" -> plugin))
    KafkaConsumers.open(ConsumerKey(ClusterId("eu"), connection, "prefix")).close()
    assertEquals(CountingReporter.configured, before + 1)
    assertEquals(PluginClasses.misfit(KafkaClassNames.Home, Map("metric.reporters" -> plugin), loader), None)
  }

  test("where it has another it is found, whichever property names it, and whoever stands before it in a list") {
    for (property <- Seq("metric.reporters", "sasl.login.callback.handler.class", "ssl.engine.factory.class"))
      assertEquals(misfit(property -> s"shaded.kafka.X, $plugin"), Some(property -> plugin))
  }

  test(
    "what is not compiled against Kafka's client, is Kafka's own, is not there, or stands elsewhere, is left alone"
  ) {
    assertEquals(misfit("sasl.jaas.config" -> "com.sun.security.auth.module.Krb5LoginModule required;"), None)
    assertEquals(misfit("sasl.login.class" -> "shaded.kafka.X", "ssl.engine.factory.class" -> "a.b.Missing"), None)
    assertEquals(misfit("client.id" -> plugin), None)
  }

  test("a class whose parents are missing under Kafka's name is recognised by what is missing") {
    assert(PluginClasses.missesKafka(new NoClassDefFoundError("org/apache/kafka/common/X")))
    assert(PluginClasses.missesKafka(new ClassNotFoundException("org.apache.kafka.common.X")))
    assert(!PluginClasses.missesKafka(new NoClassDefFoundError("com/acme/X")))
    assert(!PluginClasses.missesKafka(new NoClassDefFoundError))
  }
}

class CountingReporter extends MetricsReporter {
  override def init(metrics: JList[KafkaMetric]): Unit   = ()
  override def metricChange(metric: KafkaMetric): Unit   = ()
  override def metricRemoval(metric: KafkaMetric): Unit  = ()
  override def configure(configs: JMap[String, _]): Unit = CountingReporter.configured += 1
  override def close(): Unit                             = ()
}

object CountingReporter {
  @volatile var configured = 0
}
