"""What the build does in Python; what it does in Scala lies beside it."""
