import sbtassembly.AssemblyPlugin.autoImport._

/** Which packages are renamed in the shaded jar, and why each. */
object Shading {
  private val home = "io.github.dynamickafka.shaded"

  val rules: Seq[com.eed3si9n.jarjarabrams.ShadeRule] = Seq(
    // Users, or Spark's own Kafka module, may have another version of kafka-clients on the class path.
    ShadeRule.rename("org.apache.kafka.**" -> s"$home.kafka.@1").inAll,
    // So may cluster managers, of what it checks tokens with.
    ShadeRule.rename("org.jose4j.**" -> s"$home.jose4j.@1").inAll,
    // Cluster managers put their own YAML parsers on the class path.
    ShadeRule.rename("org.snakeyaml.**" -> s"$home.snakeyaml.@1").inAll,
    // Kafka's client reads its version from the file kafka/kafka-version.properties. `RESOURCE` stands for any file.
    ShadeRule.rename("kafka.RESOURCE" -> s"$home.kafka.RESOURCE").inAll
  )
}
