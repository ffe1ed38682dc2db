/** What the JVMs of the tests run with. */
object TestJvm {
  // Each lives for a minute at most, in which the optimizing compiler costs more than it saves: 92 CPU seconds of a whole
  // run are 57 without it. `make histories` goes on for long enough.
  private val short =
    if (sys.env.contains("HISTORIES")) Nil else Seq("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

  val options: Seq[String] = SparkModules.options ++ short
}
