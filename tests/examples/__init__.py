"""What stands in `examples`, run."""
