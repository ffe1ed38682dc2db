"""What every test of the whole product can ask for."""

import os

pytest_plugins = ["tests.cluster.fixtures", "tests.wheel.environment"]

# For each JVM that a test starts by whatever program and that has no such options of its own: none lives for long.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
