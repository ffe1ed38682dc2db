"""The source on each version of Spark, Java and Python that it is made for; `make matrix` runs it."""
