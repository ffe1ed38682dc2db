package io.github.dynamickafka.spark.options

/** The options that Real-Time Mode can't keep: its batches have no planned end. */
object RealTimeRefusals {

  /** All that are set, in the order of the reference page. */
  def of(settings: SourceSettings): Seq[OptionProblem] = {
    val limits = settings.limits
    Seq[Option[(SourceOption[Any], String)]](
      limits.batch.maxOffsets.map(SourceOptions.MaxOffsetsPerTrigger -> _.toString),
      limits.batch.maxBytes.map(SourceOptions.MaxBytesPerTrigger -> _.toString),
      limits.batch.minOffsets.map(SourceOptions.MinOffsetsPerTrigger -> _.toString),
      limits.skew.map(skew => SourceOptions.MaxTimestampSkew -> DurationText.text(skew.most)),
      limits.tasks.minTasks.map(SourceOptions.MinPartitions -> _.toString),
      limits.tasks.maxOffsets.map(SourceOptions.MaxRecordsPerPartition -> _.toString)
    ).flatten.map { case (option, value) => OptionProblems.refused(option, value, reason(option)) }
  }

  private def reason(option: SourceOption[_]): String =
    if (option == SourceOptions.MinPartitions || option == SourceOptions.MaxRecordsPerPartition)
      s"in Real-Time Mode `${SourceOptions.RealTimeTasks.key}` says how many tasks there are; leave it out"
    else "a batch of Real-Time Mode reads what comes, and has no limit; leave it out, or use another trigger"
}
