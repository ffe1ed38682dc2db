"""The whole product, through its Python package, on real brokers: one file per promise."""
