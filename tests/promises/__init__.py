"""What the source promises, which tests check it, and what was broken to see them fail: docs/internals/promises.md."""
