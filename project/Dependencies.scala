import sbt._

/** Every version of the build, once. The product's own version stands in `python/pyproject.toml`. */
object Dependencies {
  val scala = "2.13.18"

  // Compiled against 4.2, run on 4.0 to 4.3: only connector interfaces that are the same in all of them are used.
  val sparkVersion = "4.2.0"
  val kafkaVersion = "4.3.1"

  val spark        = "org.apache.spark" %% "spark-sql"        % sparkVersion % Provided
  val kafkaClients = "org.apache.kafka"  % "kafka-clients"    % kafkaVersion
  val yaml         = "org.snakeyaml"     % "snakeyaml-engine" % "2.10"
  // What Kafka's client needs to log in by OAUTHBEARER and does not bring; the version that its brokers have.
  val tokens     = "org.bitbucket.b_c" % "jose4j"           % "0.9.6"
  val munit      = "org.scalameta"    %% "munit"            % "1.2.1" % Test
  val munitCheck = "org.scalameta"    %% "munit-scalacheck" % "1.2.0" % Test

  // What fetches the brokers of users' tests: one jar, without dependencies but slf4j.
  val coursier = "io.get-coursier" % "interface" % "1.0.28"

  // Only for benchmarks: Spark's own source as a peer, with the client it was made for. Its companion, which gets
  // delegation tokens, does not exist for Scala 2.13; `bench` has a stand-in.
  val peers: Seq[ModuleID] = Seq(
    "org.apache.spark"  %% "spark-sql-kafka-0-10" % sparkVersion,
    "org.apache.kafka"   % "kafka-clients"        % "3.9.2",
    "org.apache.commons" % "commons-pool2"        % "2.13.1"
  ).map(_.intransitive())

  // Codecs and logging: Spark brings its own, so the jar must not bring others.
  val fromSpark = Seq(
    ExclusionRule("com.github.luben", "zstd-jni"),
    ExclusionRule("org.lz4"),
    ExclusionRule("at.yawk.lz4"),
    ExclusionRule("org.xerial.snappy"),
    ExclusionRule("org.slf4j")
  )
}
