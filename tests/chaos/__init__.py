"""Chaos: everything that may go wrong goes wrong, again and again, and in the end each record arrived exactly once.

``python -m tests.chaos`` runs it as long as asked. A seed makes the same faults again, at the same times; what they
meet differs from run to run.
"""
