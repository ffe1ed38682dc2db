package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.ClusterId

/** What a listed topic is for the query under one cluster id. Ids that continue each other are, for a topic, one log with
  * one position.
  */
sealed trait Role extends Product with Serializable

object Role {

  /** It is read here, on from what is held here, or from where it begins. */
  case object Reader extends Role

  /** Another id of the same log reads it, or is about to. */
  final case class Standby(of: ClusterId) extends Role

  /** It is to be read here on from the position that is held under an id which lists it no more. */
  final case class Successor(of: ClusterId) extends Role
}
