package io.github.dynamickafka.spark.spark

import scala.util.Try

import org.apache.spark.SparkContext

import io.github.dynamickafka.spark.plan.TaskSlots

/** The most tasks that a batch may have.
  *
  * With `spark.dynamicAllocation` Spark adds executors only when tasks wait. So a batch may have more tasks than can
  * run now: as many as the allowed number of executors could run. By Spark's defaults the number of executors has no
  * limit. Then only the partitions that are worth a task limit the number of tasks.
  */
private[spark] object ParallelTasks {

  /** @param executors how many run now */
  def of(context: SparkContext, executors: Int): TaskSlots =
    slots(context.defaultParallelism, if (context.isLocal) 0 else executors, context.getConf.getOption)

  /** How many tasks run at once now, without executors that may come. */
  def now(context: SparkContext, executors: Int): Int =
    now(context.master, context.defaultParallelism, executors, context.getConf.getOption)

  /** @param parallelism Spark's default, which is the number of cores only where `spark.default.parallelism` is not set
    * @param executors how many run now
    */
  def now(master: String, parallelism: Int, executors: Int, setting: String => Option[String]): Int = {
    def number(name: String): Option[Int] = setting(name).flatMap(text => Try(text.trim.toInt).toOption)
    def each  = number("spark.executor.cores").orElse(Option.when(OneCoreEach.exists(master.startsWith))(1))
    val cores = master match {
      case "local"    => 1
      case Local("*") => Runtime.getRuntime.availableProcessors
      case Local(own) => own.toInt
      case _          => each.fold(parallelism)(_ * executors.max(1))
    }
    (cores / number("spark.task.cpus").getOrElse(1).max(1)).max(1)
  }

  private val Local = """local\[\s*(\d{1,6}|\*)\s*(?:,.*)?\]""".r
  // On these an executor has one core by default, on other cluster managers all cores of its machine.
  private val OneCoreEach = Seq("yarn", "k8s")

  /** @param parallelism how many tasks of a job Spark would run at once, by its current cores
    * @param executors how many run now; always 0 in local mode
    * @param setting of Spark's configuration
    */
  def slots(parallelism: Int, executors: Int, setting: String => Option[String]): TaskSlots = {
    def number(name: String): Option[Int] = setting(name).flatMap(text => Try(text.trim.toInt).toOption)
    val now                               = (parallelism.max(1) - 1) / executors.max(1) + 1
    // Some cluster managers give an executor all cores of its machine by default.
    val own =
      number("spark.executor.cores").map(_ / number("spark.task.cpus").getOrElse(1).max(1)).getOrElse(now).max(1)
    val dynamic = setting("spark.dynamicAllocation.enabled").exists(_.trim.equalsIgnoreCase("true"))
    val coming  = if (dynamic) number("spark.dynamicAllocation.maxExecutors").getOrElse(Int.MaxValue).max(0) else 0
    TaskSlots((coming.toLong * own).max(parallelism.toLong).min(Int.MaxValue.toLong).toInt, now)
  }
}
