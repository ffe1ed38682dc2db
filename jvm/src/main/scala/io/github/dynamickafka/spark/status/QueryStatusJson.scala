package io.github.dynamickafka.spark.status

import java.time.Instant

import com.fasterxml.jackson.databind.json.JsonMapper

/** The JSON of a query's status, as `docs/metadata-http.md` shows it. */
object QueryStatusJson {
  private val mapper = JsonMapper.builder().build()

  /** @param at when it is written */
  def write(status: QueryStatus, at: Instant): String = {
    val root  = mapper.createObjectNode()
    val query = root.putObject("query")
    query.put("id", status.query.id).put("runId", status.query.runId)
    status.query.name.foreach(query.put("name", _))
    query.put("source", status.query.source)
    root.put("state", status.state.name)
    status.applied.foreach { applied =>
      root.putObject("applied").put("version", applied.version).put("at", applied.at.toString)
    }
    status.refused.foreach { refused =>
      val node = root.putObject("refused")
      refused.version.foreach(node.put("version", _))
      node.put("condition", refused.condition.name).put("reason", refused.reason).put("at", refused.at.toString)
    }
    root.put("at", at.toString).toString
  }
}
