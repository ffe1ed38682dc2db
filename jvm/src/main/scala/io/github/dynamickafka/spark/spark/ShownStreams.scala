package io.github.dynamickafka.spark.spark

import io.github.dynamickafka.spark.errors.Wording
import io.github.dynamickafka.spark.options.StreamSelection

/** The choice of streams, for plans, the UI and progress events. Of many ids they have the first ones. */
private[spark] object ShownStreams {
  def of(selection: StreamSelection): String = selection match {
    case StreamSelection.Ids(ids)                => s"streams ${Wording.first(ids)}"
    case StreamSelection.Matching(pattern)       => s"streams like $pattern"
    case StreamSelection.SubscriberClass(name)   => s"streams chosen by $name"
    case StreamSelection.RegisteredSubscriber(_) => "streams chosen by a subscriber"
  }
}
