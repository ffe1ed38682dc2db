package io.github.dynamickafka.spark.options

import io.github.dynamickafka.spark.options.{SourceOptions => Known}
import io.github.dynamickafka.spark.topology.RefusedProperties

/** Turns options into settings. Everything is checked here, once, and all problems are reported. */
object SourceOptionsParser {

  /** @param options keys as the user wrote them: ours, or those of Spark's own Kafka source for one cluster */
  def parse(options: Map[String, String], kind: ReadKind): Either[Seq[OptionProblem], SourceSettings] =
    OneCluster.of(options) match {
      case None                    => ours(options, kind)
      case Some(Left(problems))    => Left(problems ++ ours(OneCluster.others(options), kind).left.getOrElse(Nil))
      case Some(Right(translated)) => alone(translated, kind)
    }

  private def alone(one: OneCluster.Translation, kind: ReadKind): Either[Seq[OptionProblem], SourceSettings] = {
    val bounds = OneClusterBounds.problems(one.starting, one.ending, kind)
    val parsed = ours(one.ours, kind)
    if (bounds.isEmpty) parsed.map(one.applied) else Left(bounds ++ parsed.left.getOrElse(Nil))
  }

  private def ours(options: Map[String, String], kind: ReadKind): Either[Seq[OptionProblem], SourceSettings] = {
    val input           = GivenOptions.from(options)
    val (wrong, values) = OptionValues.from(input.named)
    val problems        = wrong ++ together(input, values, kind) ++ refused(input) ++
      input.repeated.map(OptionProblems.repeated) ++ input.unknown.map(OptionProblems.unknown)
    if (problems.nonEmpty) Left(problems) else Right(SourceSettings.of(input, values))
  }

  /** The same, with all problems in one error `INVALID_OPTION`. */
  def settings(options: Map[String, String], kind: ReadKind): SourceSettings =
    parse(options, kind).fold(problems => throw OptionProblems.error(problems), identity)

  private def refused(input: GivenOptions): Seq[OptionProblem] = for {
    name   <- input.kafka.keys.toSeq.sorted
    reason <- RefusedProperties.reasons.get(name)
  } yield OptionProblems.refusedKafka(name, reason)

  /** The problems that only several options together show. */
  private def together(input: GivenOptions, values: OptionValues, kind: ReadKind): Seq[OptionProblem] = {
    val required = Known.named.filter(o => o.default == Default.Required && !input.named.contains(o.key))
    required.map(missing(_, input)) ++ path(input, values) ++ selection(input) ++ ending(input, kind) ++
      offsetLimits(values) ++ group(input, values)
  }

  private def missing(option: SourceOption[_], input: GivenOptions): OptionProblem =
    if (option.key == Known.MetadataService.key && input.kafka.contains("bootstrap.servers"))
      OptionProblems.addressAlone
    else OptionProblems.missing(option)

  private def path(input: GivenOptions, values: OptionValues): Option[OptionProblem] =
    Option.when(
      values.find(Known.MetadataService).contains(ServiceChoice.Yaml) && input.service.get("path").forall(_.isEmpty)
    ) {
      OptionProblem(
        "metadataService.path",
        "option `metadataService.path` is missing: `yaml` needs the path of its file"
      )
    }

  private def selection(input: GivenOptions): Option[OptionProblem] = {
    val names = Known.selections.map(_.key)
    names.filter(input.named.contains) match {
      case Seq(_) => None
      case Seq()  =>
        Some(OptionProblem(names.head, s"options ${quoted(names)}: none is set; set one of them"))
      case several =>
        Some(OptionProblem(several.head, s"the options ${quoted(several)} exclude each other; keep one of them"))
    }
  }

  private def ending(input: GivenOptions, kind: ReadKind): Option[OptionProblem] =
    input.named.get(Known.EndingOffsets.key).filter(_ => kind == ReadKind.Streaming).map(OptionProblems.endingOfStream)

  private def offsetLimits(values: OptionValues): Option[OptionProblem] = for {
    least <- values.find(Known.MinOffsetsPerTrigger)
    most  <- values.find(Known.MaxOffsetsPerTrigger) if least > most
  } yield OptionProblems.refused(
    Known.MinOffsetsPerTrigger,
    least.toString,
    s"it is above `${Known.MaxOffsetsPerTrigger.key}`, which is `$most`; allowed is at most that"
  )

  private def group(input: GivenOptions, values: OptionValues): Option[OptionProblem] =
    Option.when(values.find(Known.CommitOffsets).contains(true) && input.kafka.get("group.id").forall(_.isEmpty))(
      OptionProblems.groupMissing
    )

  private def quoted(keys: Seq[String]): String = keys.map(key => s"`$key`").mkString(", ")
}
