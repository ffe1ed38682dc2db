package io.github.dynamickafka.spark

/** The failures of this source: a closed family of conditions, and the text of each. */
package object errors {

  /** `say"Cluster $cluster is gone."` is a [[errors.Wording]]. */
  implicit final class Say(private val context: StringContext) extends AnyVal {
    def say(parts: Any*): Wording = Wording.of(context, parts)
  }
}
