import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.spark.sql.SparkSession

import io.github.dynamickafka.spark.DynamicKafkaSource
import io.github.dynamickafka.spark.testing.{EachOnce, KafkaTestbed}

class OrdersSuite extends FunSuite {
  override val munitTimeout: Duration = 3.minutes

  test("a move loses no order") {
    val spark   = SparkSession.builder().master("local[2]").getOrCreate()
    val testbed = KafkaTestbed.start()
    try {
      testbed.createStream("orders", "eu-1")
      testbed.write("orders", "1", "2")
      val orders = DynamicKafkaSource.builder(spark).metadataService(testbed.service).streamIds("orders")
      val rows   = orders.startingOffsets("earliest").metadataDiscoveryInterval("1s").load()
      val ids    = rows.selectExpr("CAST(value AS STRING) AS id")
      val query  = ids.writeStream.format("memory").queryName("ids").start()

      def read()             = spark.table("ids").collect().map(_.getString(0)).toList.asJava
      def assertNoneIsLost() = EachOnce.assertEachOnce(query, () => read(), testbed.written("orders"))

      assertNoneIsLost()
      testbed.move("orders", "eu-2")
      testbed.write("orders", "3")
      assertNoneIsLost()
      testbed.cluster("eu-1").stop()
      testbed.write("orders", "4")
      assertNoneIsLost()
      query.stop()
    } finally {
      testbed.close()
      spark.stop()
    }
  }
}
