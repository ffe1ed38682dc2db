package io.github.dynamickafka.spark.read

/** Where the reading of a partition begins.
  *
  * @param epoch the leader epoch with which Kafka can prove that the log still holds all before it; none: nothing is asked
  */
final private[read] case class Start(offset: Long, epoch: Option[Int] = None)
