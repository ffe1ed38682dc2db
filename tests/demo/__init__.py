"""The demo's own parts that must not be wrong: a proof that can't fail would prove nothing."""
