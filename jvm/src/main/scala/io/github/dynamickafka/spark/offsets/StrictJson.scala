package io.github.dynamickafka.spark.offsets

import com.fasterxml.jackson.core.{JsonFactory, StreamReadFeature}
import com.fasterxml.jackson.databind.{DeserializationFeature, ObjectMapper}
import com.fasterxml.jackson.databind.json.JsonMapper

/** How all that lies in a checkpoint is written and read, and rules for offsets: a key that comes twice, or text behind the end, is an error. */
private[offsets] object StrictJson {
  val factory: JsonFactory = new JsonFactory

  val mapper: ObjectMapper =
    JsonMapper.builder()
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
      .build()
}
