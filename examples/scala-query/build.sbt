name         := "orders"
scalaVersion := "2.13.18"

// Where `make publish-local` of a checkout puts the artifact.
resolvers += Resolver.mavenLocal

libraryDependencies ++= Seq(
  "org.apache.spark"       %% "spark-sql"           % "4.2.0",
  "io.github.dynamickafka" %% "dynamic-kafka-spark" % "0.1.0"
)

// `sbt run` starts Spark on this machine. With spark-submit, the cluster sets these.
run / fork := true
run / javaOptions ++= Seq(
  "-Dspark.master=local[2]",
  "--add-opens=java.base/java.lang=ALL-UNNAMED",
  "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
  "--add-opens=java.base/java.net=ALL-UNNAMED",
  "--add-opens=java.base/java.nio=ALL-UNNAMED",
  "--add-opens=java.base/java.util=ALL-UNNAMED",
  "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
  "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"
)
