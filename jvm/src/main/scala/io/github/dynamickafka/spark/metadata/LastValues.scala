package io.github.dynamickafka.spark.metadata

/** What placeholders stood for when they were last resolved.
  *
  * @param values by placeholder, as it is written. They may be secrets, so `toString` shows none
  * @param kept those that can't be resolved now
  */
final private[metadata] case class LastValues(values: Map[String, String], kept: Set[String]) {

  /** The same after a placeholder was read once more.
    *
    * @param found what it stands for, or why that is unknown
    */
  def after(placeholder: String, found: Either[String, String]): LastValues = found match {
    case Right(value)                            => LastValues(values.updated(placeholder, value), kept - placeholder)
    case Left(_) if values.contains(placeholder) => copy(kept = kept + placeholder)
    case Left(_)                                 => this
  }

  /** What is reported if reading it changes whether its last value is kept. */
  def change(placeholder: String, found: Either[String, String]): Option[String] = found match {
    case Right(_) if kept(placeholder)                                   => Some(s"$placeholder is resolved again.")
    case Left(why) if values.contains(placeholder) && !kept(placeholder) =>
      Some(s"$placeholder can't be resolved any more: $why. Its last value stays.")
    case _ => None
  }

  override def toString: String = values.keys.toSeq.sorted.mkString("LastValues(", ", ", ")")
}

private[metadata] object LastValues {
  val none: LastValues = LastValues(Map.empty, Set.empty)
}
