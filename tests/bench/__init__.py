"""Tests of what the benchmarks compute; they run none."""
