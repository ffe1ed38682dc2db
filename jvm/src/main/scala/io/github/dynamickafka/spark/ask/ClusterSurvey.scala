package io.github.dynamickafka.spark.ask

import java.time.Instant

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.reconcile.{OffsetQuestions, Question, ReconcilePolicy, StepBasis}
import io.github.dynamickafka.spark.reconcile.observed.{Agreement, ClusterObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.succession.Roles
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** The answers of all clusters that one step asks.
  *
  * @param at when the survey was made
  * @param by the answer of each cluster that answered or failed
  */
final case class ClusterSurvey(
    topology: Topology,
    seen: Map[ClusterId, ClusterObservation],
    answers: Question.Answers,
    at: Instant,
    by: Map[ClusterId, ClusterAnswer] = Map.empty
) {
  def began(cluster: ClusterId): Instant  = by.get(cluster).fold(at)(_.began)
  def ended(cluster: ClusterId): Instant  = by.get(cluster).fold(at)(_.ended)
  def asks(cluster: ClusterId): Agreement = Agreement.of(began(cluster), ended(cluster))

  /** Since when all asks of a cluster have failed; none if the last one did not. */
  def failing(cluster: ClusterId): Option[Instant] = by.get(cluster).flatMap(_.failing)

  /** All partitions that were seen, those included that nobody leads. */
  def partitions: Set[PartitionId] = (for {
    (id, answer: Answered)   <- seen.iterator
    (name, present: Present) <- answer.topics.iterator
    number                   <- present.partitions.keysIterator ++ present.obstacle.partitions.keysIterator
  } yield PartitionId(id, name, number)).toSet

  /** The same, if a query reads on while its clusters are asked. Where a position has moved since, the log reaches it.
    * Otherwise the log may have been cut off, and its end stays as it was answered. The same holds for what a renamed
    * cluster is to read from the position of its earlier id.
    */
  def reaching(basis: StepBasis, reads: LiveReads): ClusterSurvey = copy(seen = seen.map {
    case (id, answer: Answered) =>
      def holder(topic: String)             = basis.renamedFrom(id, topic, answer.kafkaId).getOrElse(id)
      def moved(topic: String)(number: Int) = reads.moved(PartitionId(holder(topic), topic, number), began(id))
      id -> answer.reaching(topic => basis.held.topic(holder(topic), topic), moved)
    case other => other
  })

  /** The questions that were asked, answered or not. */
  def asked: Set[Question] = by.valuesIterator.flatMap(_.asked).toSet

  /** The questions about partitions that may be read, as far as answers leave them open. */
  def open(roles: Roles): Set[Question] = asked.filter { question =>
    val id = question.id
    !answers.contains(question) && !roles.rests(id.cluster, id.topic) &&
    seen.get(id.cluster).flatMap(_.present(id.topic)).exists(!_.obstacle.forbids(id.partition))
  }

  /** When the last of these answers was complete, among all calls; now, if none of them was asked. */
  def ended(clusters: Set[ClusterId]): Long =
    clusters.flatMap(by.get).map(_.order).maxOption.getOrElse(CallOrder.next())
}

object ClusterSurvey {

  /** The requests of the listed and draining clusters. Each asks what the cluster holds, and then for the points that
    * only the cluster can resolve to offsets.
    *
    * @param number goes up with each topology
    * @param known the connections of the listed clusters and of those that were listed before
    */
  def requests(
      basis: StepBasis,
      policy: ReconcilePolicy,
      number: Long,
      known: Map[ClusterId, ConnectionSettings]
  ): Map[ClusterId, Option[ClusterRequest]] = {
    val questions = new OffsetQuestions(basis, policy)
    questions.topics.map { case (id, topics) =>
      id -> known.get(id).map(ClusterRequest(number, _, topics, questions.points(id, _)))
    }
  }

  /** Asks the clusters in parallel, unless an ask is under way already, and collects what they say.
    *
    * @param requests what each is asked; none for a cluster without a known connection
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def of(
      topology: Topology,
      requests: Map[ClusterId, Option[ClusterRequest]],
      asks: ClusterAsks,
      waitMode: ClusterId => WaitMode,
      now: () => Instant
  ): ClusterSurvey = {
    val at      = now()
    val known   = requests.collect { case (id, Some(request)) => id -> request.copy(waitMode = waitMode(id)) }
    val said    = asks.take(known)
    val by      = said.flatMap { case (id, said) => said.answer.map(id -> _) }
    val unknown = requests.collect { case (id, None) => id -> Failed(topology.unresolved(id).getOrElse(notListed(id))) }
    val seen    = said.map { case (id, said) => id -> said.seen } ++ unknown
    ClusterSurvey(topology, seen, by.valuesIterator.flatMap(_.points).toMap, at, by)
  }

  private def notListed(id: ClusterId): Failure = Failure(
    Condition.ClusterNotListed,
    say"Cluster $id is no longer listed, and may still have records to drain, but since the restart its address is " +
      "unknown. List it with `topics: []` so that the drain can continue."
  )
}
