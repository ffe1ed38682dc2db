"""The schemas in `docs`, which editors and others read: do they say what the product does?"""
