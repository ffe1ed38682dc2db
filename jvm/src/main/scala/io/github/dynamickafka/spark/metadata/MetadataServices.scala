package io.github.dynamickafka.spark.metadata

import java.time.{Clock, Duration}

import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{KafkaMetadataService, SingleClusterMetadataService, YamlFileMetadataService}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Named, Say, Wording}
import io.github.dynamickafka.spark.metadata.http.{HttpMetadataService, HttpSettings}
import io.github.dynamickafka.spark.options.{OneCluster, ServiceChoice, ServiceSettings}
import io.github.dynamickafka.spark.options.OneCluster.Topics

/** Opens the metadata service that the options name. */
object MetadataServices {
  private val Prefix = "metadataService."

  /** Creates the service, or finds the object that the user gave to a builder. Does not call it yet. An object of a user's
    * class is only created at the first call.
    *
    * @param kafkaProperties the `kafka.*` options without that prefix, placeholders not resolved. `single-cluster` connects
    *                        with them and its own properties
    * @param caller who calls the service. `http` keeps the caller's time limit, and reports the caller's status
    * @param known the topics of the query's checkpoint, read when it starts
    * @throws DynamicKafkaException `INVALID_OPTION` if there is no such service or a placeholder of its config can't be
    *         resolved
    */
  def open(
      settings: ServiceSettings,
      kafkaProperties: Map[String, String],
      placeholders: Placeholders = Placeholders.ofDriver,
      caller: ServiceCaller = ServiceCaller(Duration.ofSeconds(30)),
      known: () => Set[String] = () => Set.empty
  ): OpenService = settings.choice match {
    case ServiceChoice.Registered(handle) => Registered.findService(handle)
    case ServiceChoice.Yaml               => OpenService.Owned(yaml(settings.config, placeholders))
    case ServiceChoice.Http               => OpenService.Owned(http(settings.config, placeholders, caller))
    case ServiceChoice.SingleCluster      => OpenService.Owned(single(settings.config, kafkaProperties, placeholders))
    case ServiceChoice.One(cluster)       => OpenService.Owned(one(cluster, kafkaProperties, placeholders, known))
    case ServiceChoice.ClassName(name)    =>
      val once            = placeholders.readingOnce
      val (found, config) = (named(name), resolved(settings.config, once).asJava)
      OpenService.Owned(new MadeLater(() => found.create(config), once.values(settings.config)))
  }

  /** Checks that the service can be created, without creating it.
    *
    * @param kafkaProperties as in `open`
    * @throws DynamicKafkaException `INVALID_OPTION` if it can't be
    */
  def check(settings: ServiceSettings, kafkaProperties: Map[String, String]): Unit = settings.choice match {
    case ServiceChoice.ClassName(name) => named(name): Unit
    case ServiceChoice.Yaml            => checkYaml(settings.config)
    case ServiceChoice.Http            => usable(HttpSettings.check(settings.config))
    case ServiceChoice.SingleCluster   => singleId(settings.config, kafkaProperties): Unit
    case ServiceChoice.Registered(_)   => ()
    case ServiceChoice.One(_)          => ()
  }

  private def named(name: String) = UserClass.load("metadataService", name, classOf[KafkaMetadataService])

  private def checkYaml(config: Map[String, String]): Unit = {
    val unknown = config.keySet - YamlFileMetadataService.Path
    if (unknown.nonEmpty) throw invalid(say"${keys(unknown)} unknown to `yaml`, which takes only ${Prefix}path")
  }

  private def yaml(config: Map[String, String], placeholders: Placeholders): KafkaMetadataService = {
    checkYaml(config)
    val shown = config.getOrElse(YamlFileMetadataService.Path, throw missing("yaml", "path"))
    new FileSnapshots(resolved(config, placeholders)(YamlFileMetadataService.Path), shown)
  }

  private def http(
      config: Map[String, String],
      placeholders: Placeholders,
      caller: ServiceCaller
  ): KafkaMetadataService =
    HttpSettings.parse(resolved(config, placeholders), config)
      .fold(problems => throw invalid(problems.mkString("; ")), new HttpMetadataService(_, caller, Clock.systemUTC))

  private def usable(problems: Vector[String]): Unit = if (problems.nonEmpty) throw invalid(problems.mkString("; "))

  // Each fetch resolves the placeholders of these properties again, so it uses a rotated secret.
  private def single(
      config: Map[String, String],
      kafkaProperties: Map[String, String],
      placeholders: Placeholders
  ): KafkaMetadataService = {
    val own = config - SingleClusterMetadataService.ClusterId
    SingleClusterMetadataService.open(singleId(config, kafkaProperties), own, kafkaProperties, placeholders)
  }

  private def one(
      cluster: OneCluster,
      kafkaProperties: Map[String, String],
      placeholders: Placeholders,
      known: () => Set[String]
  ): KafkaMetadataService = {
    def listed() = SingleClusterMetadataService.open(cluster.id.value, Map.empty, kafkaProperties, placeholders)
    cluster.topics match {
      case Topics.Named(names, _)   => OneClusterMetadata.of(cluster.id.value, names)
      case Topics.Matching(pattern) => new MatchingTopics(cluster.id.value, listed(), pattern, known)
    }
  }

  private def singleId(config: Map[String, String], kafkaProperties: Map[String, String]): String = {
    val id = config.getOrElse(SingleClusterMetadataService.ClusterId, throw missing("single-cluster", "clusterId"))
    if (!(kafkaProperties ++ config).contains("bootstrap.servers")) throw missing("single-cluster", "bootstrap.servers")
    id
  }

  private def resolved(config: Map[String, String], placeholders: Placeholders): Map[String, String] =
    placeholders.resolve(config) match {
      case Right(found)   => found
      case Left(problems) =>
        throw invalid(
          Wording.list(
            problems.map(p => say"${Named.option(Prefix + p.property)}: ${p.placeholder}: ${p.reason}"),
            "; "
          )
        )
    }

  private def missing(service: String, key: String): DynamicKafkaException =
    invalid(say"`$service` needs the option ${Named.option(Prefix + key)}")

  private def keys(keys: Set[String]): Wording =
    Wording.list(keys.toVector.sorted.map(key => Named.option(Prefix + key))) + (if (keys.sizeIs == 1) " is"
                                                                                 else " are")

  private def invalid(problem: Wording): DynamicKafkaException =
    DynamicKafkaException(Condition.InvalidOption, say"The metadata service can't be opened: $problem.")
}
