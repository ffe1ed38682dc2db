"""A release in one command: `make release VERSION=x.y.z`. CONTRIBUTING.md says how a release is made."""
