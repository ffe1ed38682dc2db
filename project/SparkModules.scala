/** What Spark needs of the JDK's modules on Java 17, as its own launcher passes them. */
object SparkModules {
  private val packages = Seq("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util", "util.concurrent")

  val options: Seq[String] =
    packages.map(name => s"--add-opens=java.base/java.$name=ALL-UNNAMED") :+
      "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"
}
