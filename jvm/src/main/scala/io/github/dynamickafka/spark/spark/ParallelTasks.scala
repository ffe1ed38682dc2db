package io.github.dynamickafka.spark.spark

import scala.util.Try

import org.apache.spark.SparkContext

import io.github.dynamickafka.spark.plan.TaskSlots

/** How many tasks a batch may have at most.
  *
  * What can run at once now is not the answer where Spark may bring more executors: it asks for them only when tasks wait
  * (`spark.dynamicAllocation`). So there may be as many tasks as the most executors that are allowed could run; by Spark's
  * defaults that has no limit, and the partitions that are worth a task are one.
  */
private[spark] object ParallelTasks {

  /** @param executors how many live now */
  def of(context: SparkContext, executors: Int): TaskSlots =
    slots(context.defaultParallelism, if (context.isLocal) 0 else executors, context.getConf.getOption)

  /** @param parallelism how many tasks Spark would have a job run at once, by the cores that are there now
    * @param executors that live now; in local mode none, and none ever come
    * @param setting of Spark's configuration
    */
  def slots(parallelism: Int, executors: Int, setting: String => Option[String]): TaskSlots = {
    def number(name: String): Option[Int] = setting(name).flatMap(text => Try(text.trim.toInt).toOption)
    val now                               = (parallelism.max(1) - 1) / executors.max(1) + 1
    // Some cluster managers give an executor all cores of its machine where nothing is set.
    val own =
      number("spark.executor.cores").map(_ / number("spark.task.cpus").getOrElse(1).max(1)).getOrElse(now).max(1)
    val dynamic = setting("spark.dynamicAllocation.enabled").exists(_.trim.equalsIgnoreCase("true"))
    val coming  = if (dynamic) number("spark.dynamicAllocation.maxExecutors").getOrElse(Int.MaxValue).max(0) else 0
    TaskSlots((coming.toLong * own).max(parallelism.toLong).min(Int.MaxValue.toLong).toInt, now)
  }
}
