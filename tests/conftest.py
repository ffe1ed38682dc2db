"""What every test of the whole product can ask for."""

pytest_plugins = ["tests.cluster.fixtures"]
