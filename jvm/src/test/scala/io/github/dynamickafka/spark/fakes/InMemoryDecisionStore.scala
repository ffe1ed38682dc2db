package io.github.dynamickafka.spark.fakes

import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.driver.uncommitted.DecisionStore

/** Keeps a text from one start to the next, as a checkpoint does. */
final class InMemoryDecisionStore(text: Option[String] = None) extends DecisionStore {
  private val kept = new AtomicReference(text)

  override def name: String              = "kept"
  override def read(): Option[String]    = kept.get
  override def write(text: String): Unit = kept.set(Some(text))
}
