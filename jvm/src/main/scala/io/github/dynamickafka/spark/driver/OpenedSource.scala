package io.github.dynamickafka.spark.driver

import java.time.{Clock, Duration}
import java.util.UUID

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.KafkaMetadataService
import io.github.dynamickafka.spark.ask.{ClusterAsks, ClusterSurvey, ClusterWatch, WaitMode}
import io.github.dynamickafka.spark.commits.OffsetCommits
import io.github.dynamickafka.spark.driver.bounded.{BoundedFilter, BoundedPlan, BoundedRead}
import io.github.dynamickafka.spark.driver.realtime.KeptBeginnings
import io.github.dynamickafka.spark.driver.trigger.{AdmissionControl, Alignment}
import io.github.dynamickafka.spark.driver.uncommitted.{DecisionStore, Deferrals}
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.kafka.admin.{AdminFactory, ClusterAdmins}
import io.github.dynamickafka.spark.kafka.consumer.{KafkaConsumers, TimeProbes}
import io.github.dynamickafka.spark.log.{QueryEnvironment, QueryLog}
import io.github.dynamickafka.spark.metadata.{
  AnswerFeedback,
  CallingQuery,
  ChosenStreams,
  MetadataServices,
  OpenService,
  Placeholders,
  ServiceCaller,
  TopologyFetch,
  UnknownStreams
}
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule, SourceOffset}
import io.github.dynamickafka.spark.options.SourceSettings
import io.github.dynamickafka.spark.plan.filter.KeptRows
import io.github.dynamickafka.spark.poll.{EndlessStreams, MetadataAnswer, MetadataPoller, PollListener}
import io.github.dynamickafka.spark.reconcile.{BatchKind, Question, ReconcilePolicy, Reconciler, StepBasis, StepInput}
import io.github.dynamickafka.spark.topology.Topology

/** Assembles the parts of one source. */
object OpenedSource {
  private val log = LoggerFactory.getLogger(getClass)

  /** The driver's side of a streaming query. It connects at its first call, not here.
    *
    * @param decisions keeps what uncommitted batches defer
    * @param query identifies the query to the metadata service
    * @param held by topic, the partitions that the query holds when it starts
    * @param begun keeps what has begun in batches of Real-Time Mode
    */
  def streaming(
      settings: SourceSettings,
      decisions: DecisionStore,
      query: Option[CallingQuery] = None,
      held: () => Map[String, Set[Int]] = () => Map.empty,
      begun: DecisionStore = DecisionStore.none,
      batches: BatchKind = BatchKind.Planned
  ): StreamingSource = {
    val name        = UUID.randomUUID.toString.take(8)
    val environment = QueryEnvironment(QueryLog(query.map(_.identity.label)), Clock.systemUTC)
    val rules       = policy(settings, OffsetPoint.Latest).copy(batches = batches)
    val admins      = this.admins(settings, name, held)
    val poller      = this.poller(settings, name, Start(query, held, batches), environment.log)
    val alignment   = settings.limits.skew.map { skew =>
      val clusters = settings.clusters.requestTimeout
      new Alignment(
        skew,
        rules,
        new TimeProbes(KafkaConsumers, settings.consumers.groupIdPrefix, clusters, name),
        admins.resolving,
        poller.after(_, ClusterWatch.Soon),
        environment
      )
    }
    val admission = new AdmissionControl(alignment, Clock.systemUTC)
    val asks      = this.asks(settings, admins, name)
    val deferrals =
      new Deferrals(settings.clusters.unreadable, decisions, environment.log.of(classOf[Deferrals]), environment.clock)
    new StreamingSource(
      new SourceDriver(
        settings,
        rules,
        poller,
        asks,
        admission,
        deferrals,
        environment,
        new KeptBeginnings(begun)
      ),
      Option.when(settings.consumers.commitOffsets)(
        new OffsetCommits(admins, environment.log.of(classOf[OffsetCommits]), environment.clock)
      )
    )
  }

  /** What a batch read reads. Connects to the service and the clusters, and closes all connections again.
    *
    * @param kept the rows that the query may want
    * @throws DynamicKafkaException if the metadata, a cluster or a topic is missing
    */
  def bounded(settings: SourceSettings, kept: KeptRows = KeptRows.everywhere): BoundedRead = {
    val name   = UUID.randomUUID.toString.take(8)
    val once   = settings.copy(discovery = settings.discovery.copy(interval = None))
    val poller = this.poller(once, name, Start(None, () => Map.empty, BatchKind.Planned), QueryLog.unnamed)
    val asks   = this.asks(settings, admins(settings, name, () => Map.empty), name)
    try boundedBy(settings, kept, poller, asks)
    finally {
      poller.close()
      asks.close()
    }
  }

  private def boundedBy(
      settings: SourceSettings,
      kept: KeptRows,
      poller: MetadataPoller,
      asks: ClusterAsks
  ): BoundedRead = {
    val ending   = settings.offsets.ending.getOrElse(OffsetRule.everywhere(OffsetPoint.Latest))
    val filter   = new BoundedFilter(BoundedPlan.ended(firstTopology(poller), ending), kept)
    val topology = filter.topology
    val rules    = policy(settings, OffsetPoint.Earliest)
    val basis    = StepBasis(SourceOffset.initial, topology)
    val requests = ClusterSurvey.requests(basis, rules, 0, topology.connections).map { case (id, request) =>
      id -> request.map(_.asking(filter.times(id, _)))
    }
    val now    = () => Clock.systemUTC.instant()
    val survey = ClusterSurvey.of(topology, requests, asks, _ => WaitMode.UntilAnswered, now)
    val seen   = survey.seen.map { case (id, answer) => id -> filter.relevant(id, answer) }
    val input  = StepInput(basis, Set.empty, seen, survey.answers, now())
    val read   = for {
      step <- Reconciler.step(input, rules)
      _    <- settings.misplaced(step.offset, survey.partitions, Question.none(survey.answers)).toLeft(())
      short = settings.oneCluster.flatMap(_ => BoundedPlan.unwritten(step, seen))
      _      <- short.filter(_ => settings.offsets.failOnDataLoss).toLeft(())
      ranges <- BoundedPlan.ranges(step, filter, survey.answers, survey.asked -- survey.answers.keySet)
    } yield {
      (step.notices.map(_.warning) ++ short).foreach(warning => log.warn(warning.toString))
      val reading  = ranges.map(_.id.cluster).toSet
      val kafkaIds = reading.iterator.flatMap(id => step.offset.clusters(id).kafkaId.map(id -> _)).toMap
      BoundedRead(ranges, topology.connections.filter { case (id, _) => reading(id) }, kafkaIds)
    }
    read.fold(failure => throw failure.exception, identity)
  }

  private def firstTopology(poller: MetadataPoller): Topology = {
    poller.first(Set.empty)
    val topology = poller.current.fetched.topology
    if (topology.unknown.nonEmpty)
      throw UnknownStreams.failure(topology.unknown, poller.streams()).exception
    topology
  }

  // Within this time a broker that was frozen learns that it no longer leads.
  private val Settling = Duration.ofSeconds(2)

  /** The rules that a query decides by.
    *
    * @param start where the clusters of the first topology begin, if the options do not say
    */
  private[spark] def policy(settings: SourceSettings, start: OffsetPoint): ReconcilePolicy = {
    val starting = settings.offsets.starting.getOrElse(OffsetRule.everywhere(start))
    ReconcilePolicy(
      starting = starting.copy(default = starting.default.orElse(Some(start))),
      newCluster = settings.offsets.newCluster.copy(default =
        settings.offsets.newCluster.default.orElse(Some(OffsetPoint.Earliest))
      ),
      removal = settings.removal,
      unavailable = settings.clusters.unavailable,
      failOnDataLoss = settings.offsets.failOnDataLoss,
      agreement = settings.clusters.requestTimeout,
      settling = Settling
    )
  }

  /** What is known of a query before its service is opened. */
  private case class Start(query: Option[CallingQuery], held: () => Map[String, Set[Int]], batches: BatchKind)

  private def asks(settings: SourceSettings, admins: ClusterAdmins, name: String): ClusterAsks =
    new ClusterAsks(admins, settings.clusters.pollInterval, Clock.systemUTC, name)

  private def poller(settings: SourceSettings, name: String, start: Start, log: QueryLog): MetadataPoller = {
    val placeholders = Placeholders.ofDriver
    val caller       = ServiceCaller(settings.discovery.requestTimeout, start.query)
    // Made first: if this fails, there is no service yet that must be closed.
    val streams = ChosenStreams.of(settings.selection)
    val opened  =
      MetadataServices.open(
        settings.service,
        settings.clusters.kafkaProperties,
        placeholders,
        caller,
        () => start.held().keySet
      )
    val fetch = new TopologyFetch(
      opened.service,
      streams,
      settings.clusters.kafkaProperties,
      placeholders,
      log.of(classOf[TopologyFetch])
    )
    val lock = opened match {
      case OpenService.Shared(_, lock) => Some(lock)
      case _: OpenService.Owned        => None
    }
    new MetadataPoller(
      if (start.batches == BatchKind.RealTime) new EndlessStreams(fetch) else fetch,
      lock,
      settings.discovery,
      name,
      log.of(classOf[MetadataPoller]),
      Clock.systemUTC,
      listener(opened)
    )
  }

  private def listener(opened: OpenService): PollListener = opened match {
    case _: OpenService.Shared                                                => () => ()
    case OpenService.Owned(service: KafkaMetadataService with AnswerFeedback) => new FeedbackListener(service)
    case OpenService.Owned(service)                                           => () => service.close()
  }

  private def admins(settings: SourceSettings, name: String, held: () => Map[String, Set[Int]]): ClusterAdmins = {
    val limit                 = settings.clusters.requestTimeout
    val clients               = new AdminFactory(settings.consumers.groupIdPrefix, limit)
    def chosen(topic: String) = settings.oneCluster.flatMap(_.partitions(topic, held()))
    new ClusterAdmins(clients.open, clients.consumer, limit, name, chosen)
  }
}

/** Informs a service that belongs to the source of the outcome of fetches. */
final private class FeedbackListener(service: KafkaMetadataService with AnswerFeedback) extends PollListener {
  override def taken(answer: MetadataAnswer): Unit = service.applied(answer.fetched.version, answer.ended)

  override def failed(failure: DynamicKafkaException): Unit = service.refused(failure)

  override def close(): Unit = service.close()
}
