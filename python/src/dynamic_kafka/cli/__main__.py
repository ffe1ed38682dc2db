"""`python -m dynamic_kafka.cli`, where scripts are not on the path."""

from dynamic_kafka.cli import main

main()
