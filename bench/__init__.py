"""Compares the speed of the source with others that do the same, on real brokers of this machine.

``python -m bench`` runs everything and writes ``docs/internals/measurements.md``; with ``quick`` it only prints.
"""
