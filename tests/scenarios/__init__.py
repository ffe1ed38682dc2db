"""The promises of the product, on real clusters."""
